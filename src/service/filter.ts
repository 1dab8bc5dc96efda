// Filters over the attributes of items, as plain JSON.

/** Exactly one kind of condition an object. A list attribute equals a value that it contains. */
export type Filter =
  | { readonly and: readonly Filter[] }
  | { readonly or: readonly Filter[] }
  | { readonly not: Filter }
  | { readonly attribute: string; readonly equals: string | number | boolean }
  | { readonly attribute: string; readonly in: readonly (string | number | boolean)[] }
  | { readonly attribute: string; readonly lessThan: number | string }
  | { readonly attribute: string; readonly greaterThan: number | string }
  | { readonly attribute: string; readonly exists: boolean }
