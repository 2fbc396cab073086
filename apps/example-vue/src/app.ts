import { createAuth, type Session } from "@latchkey/vue"
import { createSSRApp, type App as VueApp } from "vue"
import App from "./app.vue"

/** What the server knows about a page, and sends along with it. */
export interface PageState {
  readonly path: string
  /** Null when signed out. */
  readonly session: Session | null
}

/** Creates the app, on the server for each request and once in the browser. */
export function createPage(state: PageState): VueApp {
  return createSSRApp(App, { state }).use(createAuth({ session: state.session }))
}
