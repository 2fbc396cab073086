import type { Fault, FaultContext } from "./fault.js"

export type PushedFaultName =
  | "pushed-status-ok"
  | "pushed-reference-missing"
  | "pushed-lifetime-missing"
  | "pushed-error"
  | "pushed-reference-unknown"

type Change = (response: Response) => Response | Promise<Response>

/** What can be wrong with the answer to a pushed authorization request, RFC 9126 sections 2.2 and 2.3. */
export const pushedFaults: Readonly<Record<PushedFaultName, Fault>> = {
  "pushed-status-ok": changed(async (response) => Response.json(await response.json(), { status: 200 })),
  "pushed-reference-missing": changed(() => Response.json({ expires_in: 60 }, { status: 201 })),
  "pushed-lifetime-missing": changed(() => Response.json({ request_uri: "urn:example:one" }, { status: 201 })),
  "pushed-error": changed(() => Response.json({ error: "invalid_request" }, { status: 400 })),
  // Known to nobody, which the provider itself notices.
  "pushed-reference-unknown": {
    ...changed(() =>
      Response.json({ request_uri: "urn:ietf:params:oauth:request_uri:none", expires_in: 60 }, { status: 201 }),
    ),
    outcome: "choice",
  },
}

function changed(change: Change): Fault {
  return {
    stage: "pushed",
    outcome: "refused",
    source: "RFC 9126 section 2.2",
    effects: {
      response: (response: Response, { endpoint }: FaultContext) =>
        endpoint === "pushed" ? change(response) : response,
    },
  }
}
