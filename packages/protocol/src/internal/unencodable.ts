/** Where a value is not JSON, or `undefined` if it is. `JSON.stringify` would drop or change such values silently. */
export const findUnencodable = (value: unknown, path = "the frame"): string | undefined => {
  switch (typeof value) {
    case "string":
    case "boolean":
      return undefined
    case "number":
      return Number.isFinite(value) ? undefined : `${path}: ${String(value)} is not a JSON number`
    case "object": {
      if (value === null) return undefined
      if (Array.isArray(value)) {
        for (let i = 0; i < value.length; i++) {
          const found = findUnencodable(value[i], `${path}[${i}]`)
          if (found !== undefined) return found
        }
        return undefined
      }
      const prototype: unknown = Object.getPrototypeOf(value)
      if (prototype !== Object.prototype && prototype !== null) {
        return `${path}: expected a plain object, not an instance of a class`
      }
      for (const [key, item] of Object.entries(value)) {
        const found = findUnencodable(item, `${path}.${key}`)
        if (found !== undefined) return found
      }
      return undefined
    }
    default:
      return `${path}: there is no ${typeof value} in JSON`
  }
}
