import { assert, it } from "vitest"
import { installedSdk, recordedHere, run } from "../src/drift.js"
import { exceptions } from "../src/exceptions.js"
import { render } from "../src/finding.js"
import { reader } from "../src/ourSchemas.js"
import { hostNodes, instead, protocolNames, roots } from "../src/roots.js"

const check = () => {
  const read = reader(instead)
  const sdk = installedSdk().types
  return run({ sdk, roots, read, hostNodes, recorded: recordedHere(read), protocolNames, exceptions })
}

it("finds no drift from the pinned SDK", { timeout: 60_000 }, () => {
  const report = check()
  assert.deepStrictEqual(report.findings.map(render), [])
  // A walk that stops early finds nothing either.
  assert.isAbove(report.types, 300)
  assert.isAbove(report.fields, 3_000)
})
