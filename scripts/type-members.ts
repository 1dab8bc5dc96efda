// The members of a type with their TSDoc, from the text of its declaration. TypeScript 7 has no parser
// API, so this relies on the layout of oxfmt and on `readonly`, which every public property has.

export interface Member {
  readonly name: string
  /** The text of its TSDoc without asterisks; empty if there is none. */
  readonly doc: string
  readonly optional: boolean
}

/** A property or a method at the start of a line, with the comment before it. */
const member =
  /(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?^ +(?:readonly ([\w$]+)(\??):(.*)|([\w$]+)(\??)(?:<.*>)?\()/gm

/** A property that tells the types of a union apart, such as `kind: 'erased'`. */
const discriminant = /^ '[\w-]+'$/

/** The properties and methods of all object types in a declaration, without discriminants. */
export const membersOf = (declaration: string): Member[] =>
  [...declaration.matchAll(member)]
    .filter(([, , , , type = '']) => !discriminant.test(type))
    .map(([, doc = '', property, isAbsent, , method, isMissing]) => ({
      name: (property ?? method)!,
      doc: textOf(doc),
      optional: (isAbsent ?? isMissing) === '?',
    }))

/** The text of a comment without asterisks. */
export const textOf = (comment: string): string => comment.replaceAll(/^[ ]*\*? ?/gm, '').trim()
