/** What the page shows now, as signals, and what a person can do about it. Owns no view. */
import type { Conversation, Decision, Prompt } from "@claude-duplex/ui/Api"
import { Transcript } from "@claude-duplex/ui/Transcript"
import { batch, computed, effect, signal } from "@preact/signals"
import * as Connection from "./connection.js"

/** The parts of the page beside the conversation. */
export const panes = ["wire", "timeline", "charts"] as const
export type Pane = "conversation" | (typeof panes)[number]

export const conversations = signal<ReadonlyArray<Conversation>>([])
export const prompts = signal<ReadonlyArray<Prompt>>([])
/** What went wrong last. */
export const trouble = signal("")
export const selected = signal<string | undefined>(undefined)
export const pane = signal<Pane>("wire")
/** The conversation that is shown: it grows in place, and `version` says that it did. */
export const transcript = signal(new Transcript())
export const version = signal(0)
/** The line of the wire that is looked at. */
export const row = signal<number | undefined>(undefined)
export const line = signal("")

export const conversation = computed(() => conversations.value.find(({ id }) => id === selected.value))

/** The first open question of the conversation that is shown. */
export const prompt = computed(() => prompts.value.find(({ conversation }) => conversation === selected.value))

export const isRunning = computed(() =>
  ["Starting", "Running", "WaitingForPermission"].includes(conversation.value?.status ?? "")
)

/** Redraws once for all that came since the last picture. */
const drawSoon = (() => {
  let isDue = false
  return () => {
    if (isDue) return
    isDue = true
    requestAnimationFrame(() => {
      isDue = false
      version.value = transcript.value.version
    })
  }
})()

const say = async (problem: Promise<string>): Promise<void> => {
  trouble.value = await problem
}

/** Begins to listen. */
export const begin = (): void => {
  Connection.watch((all) => {
    batch(() => {
      conversations.value = all
      trouble.value = ""
      selected.value ??= all[0]?.id
    })
  }, (reason) => {
    trouble.value = `The connection is lost: ${reason}`
  })
  Connection.prompts((all) => {
    prompts.value = all
  })
  effect(() => {
    const id = selected.value
    if (id === undefined) return
    const shown = new Transcript()
    let next = 0
    batch(() => {
      transcript.value = shown
      version.value = 0
      row.value = undefined
      line.value = ""
    })
    return Connection.entries(id, () => next, ({ entries, from }) => {
      next = from + entries.length
      shown.push(entries)
      drawSoon()
    }, (reason) => {
      trouble.value = reason
    })
  })
}

export const select = (id: string): void => {
  selected.value = id
}

/** Looks at a line of the wire: its text is the server's to give. */
export const look = async (index: number): Promise<void> => {
  const id = selected.value
  if (id === undefined) return
  batch(() => {
    row.value = index
    line.value = ""
  })
  const text = await Connection.entry(id, index)
  if (row.value === index) line.value = text
}

export const startSession = (): Promise<void> => say(Connection.start(({ id }) => select(id)))

const withSelected = (f: (id: string) => Promise<string>): Promise<void> =>
  selected.value === undefined ? Promise.resolve() : say(f(selected.value))

export const sendPrompt = (text: string, whenBusy: "queue" | "steer"): Promise<void> =>
  withSelected((id) => Connection.send(id, text, whenBusy))

export const interrupt = (): Promise<void> => withSelected(Connection.interrupt)

export const closeSession = (): Promise<void> => withSelected(Connection.close)

export const decide = (question: Prompt, decision: Decision): Promise<void> =>
  say(Connection.answer(question, decision))
