/**
 * What a program without any of ours would do with a file, and no more: split it at newlines, and parse each line. The name
 * of the file is the first argument; the second says how much of a recording is parsed: `outer`, each line; `both`, and the
 * frame in it, which is a text in a text.
 */
import { closeSync, openSync, readSync } from "node:fs"

const [path = "", levels = "outer"] = process.argv.slice(2)

let count = 0

const parse = (line: string): void => {
  const value: unknown = JSON.parse(line)
  if (levels === "both" && typeof value === "object" && value !== null && "line" in value) {
    if (JSON.parse(String(value.line)) !== null) count++
  } else if (value !== null) count++
}

const file = openSync(path, "r")
const buffer = Buffer.allocUnsafe(512 * 1024)
let carried = Buffer.alloc(0)
for (let length = readSync(file, buffer); length > 0; length = readSync(file, buffer)) {
  let start = 0
  for (let end = buffer.indexOf(10); end !== -1 && end < length; end = buffer.indexOf(10, start)) {
    const line = carried.length === 0
      ? buffer.toString("utf8", start, end)
      : Buffer.concat([carried, buffer.subarray(start, end)]).toString("utf8")
    carried = Buffer.alloc(0)
    if (line !== "") parse(line)
    start = end + 1
  }
  // A copy: the buffer is used again.
  if (start < length) carried = Buffer.concat([carried, buffer.subarray(start, length)])
}
closeSync(file)
console.log(count)
