/**
 * The SDK's side: loads a declaration file with the TypeScript compiler and reads its types into shapes. Works on
 * declarations, not on exports, because half of the protocol's types are declared without being exported.
 */
import * as path from "node:path"
import ts from "typescript-5"
import type { Alternative, Field, Shape, What } from "./shape.js"

export interface SdkTypes {
  /** Every type that the file declares at its top level. */
  readonly names: ReadonlyArray<string>
  /** The shape of a declared type. */
  readonly shapeOf: (name: string) => Shape
  /** Whether these types, met on the way, include the declared one: itself, all its members, or as part of another. */
  readonly isAmong: (name: string, met: ReadonlySet<object>) => boolean
}

/** Parsed once: the libraries of the language and of Node, which every declaration file needs. */
const libraries = new Map<string, ts.SourceFile>()

/** Loads a declaration file. `typesFrom` is a folder from which `@types/node` can be found. */
export const load = (file: string, typesFrom: string): SdkTypes => {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    lib: ["lib.es2022.d.ts"],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    types: ["node"]
  }
  const host = ts.createCompilerHost(options)
  host.getCurrentDirectory = () => typesFrom
  const parse = host.getSourceFile
  host.getSourceFile = (name, ...rest) => {
    const known = libraries.get(name)
    if (known !== undefined) return known
    const parsed = parse(name, ...rest)
    if (parsed !== undefined && name !== path.resolve(file)) libraries.set(name, parsed)
    return parsed
  }
  const program = ts.createProgram([path.resolve(file)], options, host)
  const source = program.getSourceFile(path.resolve(file))
  if (source === undefined) throw new Error(`There is no declaration file ${file}`)
  const checker = program.getTypeChecker()

  const declared = new Map<string, ts.Type>()
  for (const statement of source.statements) {
    if (ts.isTypeAliasDeclaration(statement) || ts.isInterfaceDeclaration(statement)) {
      declared.set(statement.name.text, checker.getTypeAtLocation(statement.name))
    }
  }
  const typeOf = (name: string): ts.Type => {
    const type = declared.get(name)
    if (type === undefined) throw new Error(`${path.basename(file)} declares no type ${name}`)
    return type
  }
  const read = reader(checker)
  return {
    names: [...declared.keys()],
    shapeOf: (name) => read(typeOf(name)),
    isAmong: (name, met) => {
      const type = typeOf(name)
      const composed = new Set([...met].filter(isIntersection).flatMap((intersection) => intersection.types))
      return (type.isUnion() ? type.types : [type]).every((part) => met.has(part) || composed.has(part))
    }
  }
}

const reader = (checker: ts.TypeChecker) => {
  const memo = new Map<ts.Type, Shape>()

  const read = (type: ts.Type): Shape => {
    const known = memo.get(type)
    if (known !== undefined) return known
    const members = type.isUnion() ? type.types : [type]
    const booleans = members.filter((member) => (member.flags & ts.TypeFlags.BooleanLiteral) !== 0)
    const alternatives: Array<Alternative> = []
    for (const member of members) {
      // TypeScript has `boolean` as `true | false`; one of them alone stays a literal.
      if (booleans.length === 2 && member === booleans[0]) continue
      const what = booleans.length === 2 && member === booleans[1] ? { _tag: "Boolean" } as const : readOne(member)
      if (what !== undefined) alternatives.push({ node: member, union: type, what })
    }
    const shape: Shape = { alternatives }
    memo.set(type, shape)
    return shape
  }

  /** `undefined` for what JSON leaves out. */
  const readOne = (type: ts.Type): What | undefined => {
    const { flags } = type
    if ((flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Void | ts.TypeFlags.Never)) !== 0) return undefined
    if ((flags & ts.TypeFlags.Unknown) !== 0) return { _tag: "Any" }
    if ((flags & ts.TypeFlags.Null) !== 0) return { _tag: "Null" }
    if (type.isStringLiteral() || type.isNumberLiteral()) return { _tag: "Literal", value: type.value }
    if ((flags & ts.TypeFlags.BooleanLiteral) !== 0) {
      return { _tag: "Literal", value: checker.typeToString(type) === "true" }
    }
    // Template literals are how the SDK writes a UUID: text, as far as JSON goes.
    if ((flags & (ts.TypeFlags.StringLike | ts.TypeFlags.TemplateLiteral)) !== 0) return { _tag: "String" }
    if ((flags & ts.TypeFlags.NumberLike) !== 0) return { _tag: "Number" }
    if ((flags & ts.TypeFlags.BooleanLike) !== 0) return { _tag: "Boolean" }
    // `object`: any JSON object.
    if ((flags & ts.TypeFlags.NonPrimitive) !== 0) return { _tag: "Record", value: () => anything(type) }
    // `string & {}` is a string that an editor completes.
    if (type.isIntersection()) {
      const primitive = type.types.find((part) => (part.flags & ts.TypeFlags.Object) === 0)
      if (primitive !== undefined) return readOne(primitive)
    }
    return readObject(type)
  }

  const readObject = (type: ts.Type): What => {
    const isObject = (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0
    if (!isObject || type.getCallSignatures().length > 0 || type.getConstructSignatures().length > 0) {
      return { _tag: "Unreadable", text: checker.typeToString(type) }
    }
    if (checker.isArrayType(type) || checker.isTupleType(type)) {
      // Safe: both predicates hold for type references only, which the compiler's types do not say.
      const items = checker.getTypeArguments(type as ts.TypeReference)
      return {
        _tag: "Array",
        item: () => ({ alternatives: items.flatMap((item) => read(item).alternatives) })
      }
    }
    const properties = checker.getPropertiesOfType(type)
    const index = checker.getIndexTypeOfType(type, ts.IndexKind.String)
    if (properties.length === 0 && index !== undefined) return { _tag: "Record", value: () => read(index) }
    const fields = new Map<string, Field>()
    for (const property of properties) {
      const propertyType = checker.getTypeOfSymbol(property)
      const mayBeAbsent = propertyType.isUnion()
        ? propertyType.types.some((member) => (member.flags & ts.TypeFlags.Undefined) !== 0)
        : (propertyType.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Never)) !== 0
      fields.set(property.name, {
        optional: mayBeAbsent || (property.flags & ts.SymbolFlags.Optional) !== 0,
        shape: () => read(propertyType)
      })
    }
    return { _tag: "Struct", name: nameOf(type), fields }
  }

  return read
}

const isIntersection = (node: object): node is ts.IntersectionType =>
  "flags" in node && typeof node.flags === "number" && (node.flags & ts.TypeFlags.Intersection) !== 0

const anything = (node: object): Shape => ({ alternatives: [{ node, union: node, what: { _tag: "Any" } }] })

const nameOf = (type: ts.Type): string | undefined => {
  // A generic's alias (`Partial`, `Record`, `Omit`) says nothing about what it was applied to.
  if (type.aliasSymbol !== undefined) return type.aliasTypeArguments === undefined ? type.aliasSymbol.name : undefined
  if (type.isIntersection()) return undefined
  const name = type.symbol?.name
  return name === undefined || name.startsWith("__") ? undefined : name
}
