/**
 * `pnpm drift`: prints where our schemas and the installed SDK's types differ. Exit 0 without findings, 1 with.
 */
import { installedSdk, recordedHere, run } from "./drift.js"
import { exceptions } from "./exceptions.js"
import { render } from "./finding.js"
import { reader } from "./ourSchemas.js"
import { hostNodes, instead, protocolNames, roots } from "./roots.js"

const { types, version } = installedSdk()
const read = reader(instead)
const report = run({ sdk: types, roots, read, hostNodes, recorded: recordedHere(read), protocolNames, exceptions })

if (process.argv.includes("--json")) console.log(JSON.stringify(report.findings, null, 2))
else for (const finding of report.findings) console.log(render(finding))

console.error(
  `${report.findings.length} findings, ${exceptions.length} exceptions: ${report.types} types and ${report.fields} fields `
    + `of claude-agent-sdk ${version} compared`
)
process.exitCode = report.findings.length === 0 ? 0 : 1
