import { renderToString } from "vue/server-renderer"
import { createPage, type PageState } from "./app.ts"

export const render = (state: PageState): Promise<string> => renderToString(createPage(state))
