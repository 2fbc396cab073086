import { renderToString } from "vue/server-renderer"
import { createPage } from "./app.ts"
import type { PageState } from "./page-state.ts"

export const render = (state: PageState): Promise<string> => renderToString(createPage(state))
