import { answerRequest, readTarget, toListener } from "@latchkey/node"
import type { NextApiRequest, NextApiResponse } from "next"
import {
  findDeveloperAddress,
  findSettings,
  forwardedFor,
  type NextConfigSource,
  toContext,
  toPublicPath,
} from "./config.js"

/** The handler of an API route of the pages router, with the requests and responses of Node. */
export type PagesHandler = (request: NextApiRequest, response: NextApiResponse) => Promise<void>

/** Creates the handler of the service for the pages router. */
export function createPagesHandler(source: NextConfigSource): PagesHandler {
  const listen = toListener(async (request: NextApiRequest, response: NextApiResponse) => {
    const { settings, mount } = await findSettings(source)
    // Next removes its own `basePath` from the URL of an API route.
    const [path = "", ...query] = readTarget(request).split("?")
    const url = [toPublicPath(path, mount), ...query].join("?")
    const { headers } = request
    // During development Next writes the header itself: it names the developer, not a proxy.
    const developer = findDeveloperAddress(String(headers[forwardedFor]), settings.config)
    if (developer !== undefined) delete headers[forwardedFor]
    const context = developer === undefined ? toContext(settings.config) : { clientAddress: developer }
    return await answerRequest(request, settings, { trustProxy: true, context, url, response })
  })
  return (request, response) => listen(request, response)
}
