import * as MockTransport from "@claude-duplex/transport-mock/MockTransport"
import * as Script from "@claude-duplex/transport-mock/Script"
import * as TransportSuite from "@claude-duplex/transport-mock/TransportSuite"

TransportSuite.run({ name: "in memory", make: (script) => MockTransport.make(Script.behaviour(script)) })
