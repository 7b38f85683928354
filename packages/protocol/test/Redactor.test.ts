import * as Redactor from "@claude-duplex/protocol/Redactor"
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc, Redacted } from "effect"
import { recordings } from "./support/recordings.js"

/** Every text in a line of JSON, names included; of any other line, the line. */
const textsOf = (line: string): ReadonlyArray<string> => {
  const texts: Array<string> = []
  try {
    JSON.parse(line, (name, value) => {
      texts.push(name)
      if (typeof value === "string") texts.push(value)
      return value
    })
    return /^\s*["[{]/.test(line) ? texts : [line]
  } catch {
    return [line]
  }
}

describe("Redactor.fromValues", () => {
  it("takes out every value, wherever and however it is written", () => {
    const secret = `pa"ss\\wo\nrd & ß`
    const redact = Redactor.fromValues([secret])
    const once = JSON.stringify({ text: `before ${secret} after` })
    assert.strictEqual(redact(`a ${secret} b ${secret}`), "a [redacted] b [redacted]")
    assert.deepStrictEqual(JSON.parse(redact(once)), { text: "before [redacted] after" })
    assert.deepStrictEqual(JSON.parse(JSON.parse(redact(JSON.stringify({ once }))).once), {
      text: "before [redacted] after"
    })
    assert.strictEqual(redact(`?key=${encodeURIComponent(secret)}&x`), "?key=[redacted]&x")
  })

  it("takes the longest of two that begin alike, knows redacted ones, and leaves short ones", () => {
    const redact = Redactor.fromValues(["secret", Redacted.make("secret-and-more"), "1", ""])
    assert.strictEqual(redact("secret-and-more secret 1"), "[redacted] [redacted] 1")
    assert.strictEqual(Redactor.fromValues([])("anything"), "anything")
  })

  it("takes a value that crosses the quotes of JSON in a text", () => {
    const redact = Redactor.fromValues([`nnnnn"`])
    assert.strictEqual(redact(JSON.stringify({ text: `"nnnnn"` })), JSON.stringify({ text: `"[redacted]` }))
  })

  it("takes values of any length", () => {
    const prompt = "be brief ".repeat(100_000)
    assert.strictEqual(Redactor.fromValues([prompt])(`told to ${prompt}.`), "told to [redacted].")
  })

  it("leaves nothing of any value, and JSON as JSON", () => {
    const any = fc.string({ unit: "grapheme" })
    const nasty = fc.string({ unit: fc.constantFrom("n", "u", "0", "\\", "\"", "\n", "é") })
    const secrets = fc.oneof(any, nasty).filter((secret) =>
      secret.length >= Redactor.minimumLength && !Redactor.mark.includes(secret)
    )
    fc.assert(
      fc.property(secrets, fc.oneof(any, nasty), fc.oneof(any, nasty), (secret, before, after) => {
        const text = before + secret + after
        const redacted: { text: string } = JSON.parse(Redactor.fromValues([secret])(JSON.stringify({ text })))
        assert.include(redacted.text, Redactor.mark)
        assert.notInclude(redacted.text, secret)
        // Of a whole line of JSON, its texts are promised: what is between them must stay JSON.
        const line = Redactor.fromValues([secret])(text)
        assert.isFalse(textsOf(line).some((said) => said.includes(secret)))
      }),
      { numRuns: 2_000 }
    )
  })
})

describe("Redactor.byName", () => {
  it("takes out fields that say that they are secret", () => {
    for (
      const name of [
        "apiKey",
        "api_key",
        "x-api-key",
        "ANTHROPIC_API_KEY",
        "token",
        "accessToken",
        "refresh_token",
        "client_secret",
        "password",
        "Authorization",
        "Cookie",
        "set-cookie",
        "private_key",
        "AWS_SECRET_ACCESS_KEY"
      ]
    ) {
      const value = { a: 1, [name]: `it"s \\ a\nsecret`, b: "kept" }
      const redacted = { a: 1, [name]: "[redacted]", b: "kept" }
      assert.deepStrictEqual(JSON.parse(Redactor.byName(JSON.stringify(value))), redacted, name)
      assert.deepStrictEqual(JSON.parse(Redactor.byName(JSON.stringify(value, null, 2))), redacted, name)
      const nested = { text: JSON.stringify(value, null, 2) }
      assert.deepStrictEqual(
        JSON.parse(JSON.parse(Redactor.byName(JSON.stringify(nested))).text),
        redacted,
        `${name}, in a text`
      )
    }
  })

  it("leaves other fields, numbers and what only mentions a name", () => {
    for (
      const value of [
        { max_tokens: 5, token: 7, apiKeySource: "none", key: "value", text: "the password is" },
        { passwordless: "yes", tokenizer: "bpe", cookies: ["a"], secret: "" }
      ]
    ) assert.strictEqual(Redactor.byName(JSON.stringify(value)), JSON.stringify(value))
  })
})

describe("Redactor.byShape", () => {
  // Made up, each of the shape that its service gives them.
  const made: Record<string, string> = {
    anthropic: `sk-ant-api03-${"aB3_".repeat(20)}`,
    openai: `sk-${"x1".repeat(20)}`,
    github: `ghp_${"a1B2".repeat(9)}`,
    fineGrained: `github_pat_${"a1B2".repeat(9)}`,
    gitlab: `glpat-${"a1B2".repeat(5)}`,
    npm: `npm_${"a1B2".repeat(9)}`,
    slack: `xoxb-${"123-".repeat(6)}`,
    aws: "AKIA" + "A1B2".repeat(4),
    google: `AIza${"a1B2-".repeat(7)}`,
    jwt: `eyJ${"a1B2".repeat(4)}.${"a1B2".repeat(4)}.${"a1B2".repeat(4)}`,
    pem: `-----BEGIN RSA PRIVATE KEY-----\n${"a1B2+/".repeat(20)}\n-----END RSA PRIVATE KEY-----`
  }
  for (const [name, secret] of Object.entries(made)) {
    it(`knows ${name}`, () => {
      assert.strictEqual(Redactor.byShape(`it is ${secret}, really`), "it is [redacted], really")
      const json = JSON.stringify({ text: `it is ${secret}` })
      assert.deepStrictEqual(JSON.parse(Redactor.byShape(json)), { text: "it is [redacted]" })
    })
  }

  it("keeps what is before a bearer token or a password in an address", () => {
    assert.strictEqual(Redactor.byShape("Authorization: Bearer abc.def-123456"), "Authorization: Bearer [redacted]")
    assert.strictEqual(Redactor.byShape("https://me:hunter2@host/path"), "https://me:[redacted]@host/path")
  })

  it("leaves what is no secret", () => {
    for (
      const text of [
        "https://host:8080/path@x",
        "mailto:me@host",
        "bearer certificates are",
        "task-sk-1",
        "5b1e8a1c-3f57-4a53-93f7-0a0b1c2d3e4f",
        "msg_01AbCdEfGhIjKlMnOpQrStUv",
        "toolu_01AbCdEfGhIjKlMnOpQrStUv",
        "npm_config_cache"
      ]
    ) assert.strictEqual(Redactor.byShape(text), text)
  })
})

describe("Redactor.make", () => {
  it("leaves every recorded conversation as it is: there is no secret in them", () => {
    const redact = Redactor.make({ env: { PATH: "/usr/bin", HOME: "/root" } })
    for (const { entries, name } of recordings) {
      for (const { line } of entries) assert.strictEqual(redact(line), line, name)
    }
  })

  it("knows values, variables, names and shapes", () => {
    const redact = Redactor.make({
      values: [Redacted.make("named-one")],
      env: { MY_TOKEN: "Bearer of-the-environment", LANG: "of-the-environments", EMPTY_KEY: "", GONE_KEY: undefined }
    })
    assert.strictEqual(
      redact(`named-one of-the-environment {"password":"x"} sk-ant-${"a1".repeat(10)}`),
      `[redacted] [redacted] {"password":"[redacted]"} [redacted]`
    )
  })

  it("is linear in the length of a text", () => {
    for (const piece of ["\"", "a", "\\\"", "Bearer ", "eyJ", "://a:", "-----BEGIN PRIVATE KEY-----", "token\":\""]) {
      const redact = Redactor.make({ values: ["some-secret"] })
      const cost = (length: number) => {
        const text = piece.repeat(Math.ceil(length / piece.length))
        const start = process.cpuUsage()
        redact(text)
        const { system, user } = process.cpuUsage(start)
        return Math.max(100, system + user)
      }
      const best = (length: number, runs: number) => Math.min(...Array.from({ length: runs }, () => cost(length)))
      // Quadratic would be 900.
      assert.isBelow(best(300_000, 3) / best(10_000, 20), 300, piece)
    }
  })
})
