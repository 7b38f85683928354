// A child that ends for nothing but SIGKILL: neither at the end of its input nor at a polite signal.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => undefined)
process.stdin.resume()
process.stdout.write(`${process.pid}\n`)
setInterval(() => undefined, 1_000)
