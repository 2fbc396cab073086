import { createCsrfMiddleware, createMiddleware, createStart } from "@tanstack/react-start"
import { auth } from "./auth"

const authMiddleware = createMiddleware().server(auth.handle)

/** An app with middleware of its own has to add this one, or its server functions run for forms of any site. */
const csrfMiddleware = createCsrfMiddleware({ filter: ({ handlerType }) => handlerType === "serverFn" })

export const startInstance = createStart(() => ({ requestMiddleware: [csrfMiddleware, authMiddleware] }))
