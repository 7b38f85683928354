/** How many columns of a terminal a text takes, as nearly as matters here: wide characters are two, combining ones none. */

const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u
const none = /\p{Mark}|\u200b|\u200d|\ufe0f/u

/** Of a text without escape sequences and newlines. */
export const width = (text: string): number => {
  let columns = 0
  for (const character of text) columns += none.test(character) ? 0 : wide.test(character) ? 2 : 1
  return columns
}
