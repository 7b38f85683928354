/** A tracer that prints each span when it ends: its name, its parent, and the names of its attributes. */
import { Option, Tracer } from "effect"

/** Of the toolkit's own spans; those that Effect makes for layers and the like are left out. */
const isShown = (name: string) => name.startsWith("claude-duplex") || name === "my request"

export const printing: Tracer.Tracer = Tracer.make({
  context: (run) => run(),
  span: (name, parent, context, links, startTime, kind) => {
    const attributes = new Map<string, unknown>()
    const parentName = Option.match(parent, {
      onNone: () => "nobody",
      onSome: (span) => span._tag === "Span" ? span.name : "somebody outside"
    })
    return {
      _tag: "Span",
      name,
      spanId: name,
      traceId: "trace",
      parent,
      context,
      status: { _tag: "Started", startTime },
      attributes,
      links: [...links],
      sampled: true,
      kind,
      end: () => {
        if (isShown(name)) console.log(`span: ${name} of ${parentName}:`, [...attributes.keys()].join(" "))
      },
      attribute: (key, value) => attributes.set(key, value),
      event: () => undefined,
      addLinks: () => undefined
    }
  }
})
