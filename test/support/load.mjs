// Imports the modules that are its arguments, and prints every file that this loads, one in a line.
import { register } from "node:module"
import { argv } from "node:process"

const hooks = `
import { writeSync } from "node:fs"
export const load = (url, context, next) => {
  writeSync(1, url + "\\n")
  return next(url, context)
}`
register(`data:text/javascript,${encodeURIComponent(hooks)}`)
for (const specifier of argv.slice(2)) await import(specifier)
