/** The response to an `initialize` that a script or a recording does not mention: every session sends one. */

/** A line with a success that has the fields of every CLI's response, all of them empty. */
export const initializeResponse = (request_id: string): string =>
  JSON.stringify({
    type: "control_response",
    response: {
      subtype: "success",
      request_id,
      response: {
        commands: [],
        agents: [],
        output_style: "default",
        available_output_styles: ["default"],
        models: [],
        account: {}
      }
    }
  })
