import type { EventCallbacks } from "../contract/events.js"
import { EventError } from "../errors/flow.js"
import { toError } from "../errors/to-error.js"
import type { Log } from "../log/log.js"
import { hostDeadlineMs, withDeadline } from "./deadline.js"

type EventName = keyof EventCallbacks
type EventMessage<Name extends EventName> = Parameters<EventCallbacks[Name]>[0]

/** Tells the host's handlers what happened. Never throws: what a handler does must not change the flow. */
export interface Events {
  send<Name extends EventName>(name: Name, message: EventMessage<Name>): Promise<void> | undefined
}

export function createEvents(handlers: Partial<EventCallbacks> | undefined, log: Log): Events {
  return {
    send(name, message) {
      const handler = handlers?.[name]
      // The name ties the handler's type to the message's.
      return handler && call(name, () => handler.call(handlers, message as never), log)
    },
  }
}

async function call(name: EventName, handler: () => unknown, log: Log): Promise<void> {
  try {
    const late = () => new Error(`The handler took longer than ${hostDeadlineMs} ms`)
    await withDeadline(Promise.resolve(handler()), hostDeadlineMs, late)
  } catch (error) {
    const cause = toError(error)
    log.error(new EventError(`events.${name} failed: ${cause.message}`, cause))
  }
}
