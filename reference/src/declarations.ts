/**
 * What a module exports, as a reader should see it: the doc comment, and the declaration without its implementation.
 *
 * Read from the sources and not from the compiler's `.d.ts`, because there a schema is its inferred type, which nobody can
 * read; in the source it is the schema. So nothing is type-checked here, and all modules together take about a second.
 */
import ts from "typescript-5"

/** One exported name: all that it is (a schema and its type, a function and its overloads). */
export interface Declaration {
  readonly name: string
  readonly kind: Kind
  /** Markdown. */
  readonly docs: string
  /** TypeScript. */
  readonly code: string
  /** How it is used, in Markdown. */
  readonly example: string
}

/** What a name is, to whoever looks it up. */
export type Kind = "class" | "constant" | "function" | "re-export" | "schema" | "type"

/** A module. */
export interface Module {
  /** The text of its header, in Markdown, without tags. */
  readonly header: string
  /** The version in its `@since` tag; empty if it has none. */
  readonly since: string
  /** The level in its `@stability` tag; empty if it has none. */
  readonly stability: string
  readonly declarations: ReadonlyArray<Declaration>
}

/** A longer value is cut, visibly: nobody reads on. */
const maxLines = 80

/** Reads a module. What it exports from another one (`export type { X } from "./internal/x.js"`) is shown as that has it. */
export const read = (source: string, load: (specifier: string) => string = () => ""): Module => {
  const file = ts.createSourceFile("module.ts", source, ts.ScriptTarget.Latest, true)
  const parts = partsOf(file)
  const found = new Map<string, Declaration>()
  for (const statement of file.statements) {
    for (const declaration of declared(statement, load)) {
      const known = found.get(declaration.name)
      found.set(declaration.name, known === undefined ? declaration : merge(known, declaration))
    }
  }
  return { ...headerOf(file), declarations: [...found.values()].map((declaration) => whole(declaration, parts)) }
}

/** Values of the module's own that others are made of: what `...common` means is part of what a reader wants to know. */
const partsOf = (file: ts.SourceFile): ReadonlyMap<string, string> =>
  new Map(
    file.statements.filter(ts.isVariableStatement).filter((statement) => !isExported(statement)).flatMap((statement) =>
      statement.declarationList.declarations.map((part): [string, string] => [part.name.getText(), statement.getText()])
    )
  )

const whole = (declaration: Declaration, parts: ReadonlyMap<string, string>): Declaration => {
  const used = Array.from(declaration.code.matchAll(/\.\.\.(\w+),?$/gm), ([, name = ""]) => parts.get(name) ?? "")
  return { ...declaration, code: [...used.filter((part) => part !== ""), declaration.code].join("\n\n") }
}

/** Two declarations of one name. The type of a schema (`typeof X.Type`) tells a reader nothing that the schema does not. */
const merge = (first: Declaration, second: Declaration): Declaration => ({
  ...first,
  docs: first.docs === "" ? second.docs : first.docs,
  example: first.example === "" ? second.example : first.example,
  code: second.code === "" || isTypeOf(second) ? first.code : `${first.code}\n${second.code}`
})

const isTypeOf = ({ code, name }: Declaration) => code.includes(`typeof ${name}`)

const declared = (
  statement: ts.Statement,
  load: (specifier: string) => string
): ReadonlyArray<Declaration> => {
  if (ts.isExportDeclaration(statement)) return reexported(statement, load)
  if (!isExported(statement)) return []
  const docs = docsOf(statement)
  const of = (name: string, kind: Kind, code: string): Declaration => ({ name, kind, ...docs, code })
  if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) {
    return [of(statement.name.text, "type", withoutExport(statement))]
  }
  if (ts.isClassDeclaration(statement) && statement.name !== undefined) {
    return [of(statement.name.text, "class", classCode(statement))]
  }
  if (ts.isFunctionDeclaration(statement) && statement.name !== undefined) {
    // Of an overloaded function, what callers see has no body.
    return [of(statement.name.text, "function", statement.body === undefined ? withoutExport(statement) : "")]
  }
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map((declaration) =>
      of(declaration.name.getText(), ...value(declaration))
    )
  }
  return []
}

const reexported = (
  { exportClause, moduleSpecifier }: ts.ExportDeclaration,
  load: (specifier: string) => string
): ReadonlyArray<Declaration> => {
  if (exportClause === undefined || !ts.isNamedExports(exportClause)) return []
  const there = moduleSpecifier !== undefined && ts.isStringLiteral(moduleSpecifier)
    ? read(load(moduleSpecifier.text)).declarations
    : []
  return exportClause.elements.map((element): Declaration => {
    const name = element.name.text
    const docs = docsOf(element)
    const found = there.find((declaration) => declaration.name === (element.propertyName ?? element.name).text)
    if (found === undefined) return { name, kind: "re-export", ...docs, code: `export { ${name} }` }
    return docs.docs === "" ? { ...found, name } : { ...found, name, ...docs }
  })
}

const isExported = (statement: ts.Statement) =>
  ts.canHaveModifiers(statement) &&
  ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true

const withoutExport = (statement: ts.Statement) => statement.getText().replace(/^export (declare )?/, "")

// ---- values ----

const value = (declaration: ts.VariableDeclaration): readonly [kind: Kind, code: string] => {
  const name = declaration.name.getText()
  const { initializer, type } = declaration
  if (type !== undefined) {
    const isFunction = ts.isFunctionTypeNode(type) || ts.isTypeLiteralNode(type)
    return [isFunction ? "function" : "constant", `const ${name}: ${type.getText()}`]
  }
  const text = initializer?.getText() ?? ""
  if (initializer !== undefined && ts.isArrowFunction(initializer)) {
    const type = signature(initializer)
    // One that does not say what it returns is shown as it is.
    return ["function", type === undefined ? shortened(`const ${name} = ${text}`) : `const ${name}: ${type}`]
  }
  return [isSchema(text) ? "schema" : "constant", shortened(`const ${name} = ${text}`)]
}

const isSchema = (value: string) => /^(Schema|Open|Json|Transport)\w*\.|^\w+\.(pick|omit)\(|\.annotations\(/.test(value)

/** An arrow function as its type: defaults become optional parameters. */
const signature = (arrow: ts.ArrowFunction): string | undefined => {
  const types = arrow.typeParameters === undefined
    ? ""
    : `<${arrow.typeParameters.map((parameter) => parameter.getText()).join(", ")}>`
  const parameters = arrow.parameters.map(parameterCode)
  const oneLine = `${types}(${parameters.join(", ")})`
  const list = oneLine.length > 90 ? `${types}(\n  ${parameters.join(",\n  ")}\n)` : oneLine
  const returned = arrow.type?.getText() ?? (ts.isArrowFunction(arrow.body) ? signature(arrow.body) : undefined)
  return returned === undefined ? undefined : `${list} => ${returned}`
}

const parameterCode = (parameter: ts.ParameterDeclaration): string => {
  const name = ts.isIdentifier(parameter.name) ? parameter.name.text : "options"
  const isOptional = parameter.questionToken !== undefined || parameter.initializer !== undefined
  const rest = parameter.dotDotDotToken === undefined ? "" : "..."
  return `${rest}${name}${isOptional ? "?" : ""}: ${parameter.type?.getText() ?? "unknown"}`
}

/** A class as its head and its own members, without what they do. */
const classCode = (node: ts.ClassDeclaration): string => {
  const source = node.getSourceFile().text
  const head = source.slice(node.getStart(), source.lastIndexOf("{", node.members[0]?.pos ?? node.end - 1))
  const members = node.members.flatMap((member) =>
    ts.isMethodDeclaration(member) && member.body !== undefined
      ? [`${commentOf(member)}  ${source.slice(member.getStart(), member.body.pos).trim()}`]
      : []
  )
  const declaration = head.replace(/^export /, "").trim()
  return members.length === 0 ? `${declaration} {}` : `${declaration} {\n${members.join("\n")}\n}`
}

const commentOf = (node: ts.Node): string => {
  const comment = rawComment(node)
  return comment === "" ? "" : `  ${comment}\n`
}

const shortened = (code: string): string => {
  const lines = code.split("\n")
  return lines.length <= maxLines ? code : [...lines.slice(0, maxLines), "// …"].join("\n")
}

// ---- comments ----

const rawComment = (node: ts.Node): string => {
  const text = node.getSourceFile().text
  const range = ts.getLeadingCommentRanges(text, node.pos)?.at(-1)
  const comment = range === undefined ? "" : text.slice(range.pos, range.end)
  return comment.startsWith("/**") ? comment : ""
}

const docsOf = (node: ts.Node): { readonly docs: string; readonly example: string } => {
  const [docs = "", example = ""] = plain(rawComment(node)).split("@example\n")
  return { docs: docs.trim(), example: example.trim() }
}

/** The header is the first comment of the file, if it is not the first statement's own. */
const headerOf = (file: ts.SourceFile): Pick<Module, "header" | "since" | "stability"> => {
  const [first] = ts.getLeadingCommentRanges(file.text, 0) ?? []
  const comment = first === undefined ? "" : file.text.slice(first.pos, first.end)
  const text = comment.startsWith("/**") ? plain(comment) : ""
  const tag = (name: string) => new RegExp(`^@${name} (\\S+)$`, "m").exec(text)?.[1] ?? ""
  return {
    header: text.replaceAll(/^@(since|stability) .*$/gm, "").trim(),
    since: tag("since"),
    stability: tag("stability")
  }
}

/** The Markdown in a comment. */
const plain = (comment: string): string =>
  comment
    .replace(/^\/\*\*\s?/, "")
    .replace(/\s*\*\/$/, "")
    .replaceAll(/^[ \t]*\* ?/gm, "")
    .trim()
