// A child that has something to save when its input ends, takes its time about it, and loses it at a signal.
import { writeFileSync } from "node:fs"

const [, , file] = process.argv
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) {
  process.on(signal, () => {
    writeFileSync(file, `by ${signal}`)
    process.exit(1)
  })
}
process.stdin.resume().on("end", () => {
  setTimeout(() => {
    writeFileSync(file, "by the end of the input")
    process.exit(0)
  }, 400)
})
process.stdout.write(`${process.pid}\n`)
