// Modules without types of their own. Styles are imported for their effect; the build gathers them.

declare module '*.css' {}

declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  /** Renders the viewer; https://swagger.io/docs/open-source-tools/swagger-ui/usage/configuration/ lists the options. */
  export default function SwaggerUi(options: Readonly<Record<string, unknown>>): unknown
}
