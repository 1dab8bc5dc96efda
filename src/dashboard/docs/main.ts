// The API reference: Swagger UI shows the OpenAPI document of this server. It is a separate document, so
// that only visitors of /docs load the viewer.

import SwaggerUi from 'swagger-ui-dist/swagger-ui-es-bundle.js'
import 'swagger-ui-dist/swagger-ui.css'

import { onThemeChange } from '../palette.ts'
import { storedTheme, applyTheme } from '../theme.ts'
import '../theme.css'
import './docs.css'

/** Swagger UI has its own class for dark themes. */
function updateTheme(): void {
  const theme = storedTheme()
  const isDark =
    theme === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark'
  applyTheme(theme)
  document.documentElement.classList.toggle('dark-mode', isDark)
}

updateTheme()
onThemeChange(updateTheme)
SwaggerUi({
  url: '/openapi.json',
  domNode: document.querySelector('#page'),
  deepLinking: true,
  displayRequestDuration: true,
  // Schemas are shown with the operations; the list of all of them starts closed.
  defaultModelsExpandDepth: 0,
  // Swagger UI would otherwise send the address of the document to a validator on another host.
  validatorUrl: null,
})
