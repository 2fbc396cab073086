import type { TestHostOptions } from "@latchkey/testkit"
import { vi } from "vitest"
import type { Component, App as VueApp } from "vue"
import { type BrowserPage, openBrowserPage } from "../../../test/setup/browser-page.js"

/** A page with an app of Vue. */
export interface Screen extends BrowserPage {
  readonly vue: typeof import("vue")
  readonly package: typeof import("../src/index.js")
  /** Shows a component in an app with the plugins. */
  mount(component: Component, ...plugins: { install(app: VueApp): void }[]): Promise<VueApp>
  /** Hydrates what a server rendered. Returns Vue's warnings. */
  hydrate(html: string, component: Component, ...plugins: { install(app: VueApp): void }[]): Promise<readonly string[]>
  text(): string
  /** Runs an action and waits until its requests have finished. */
  act<T>(action: () => T | Promise<T>): Promise<T>
  /** Unmounts the apps. */
  close(): void
}

export async function openScreen(basePath = "/auth", options: TestHostOptions = {}): Promise<Screen> {
  const page = openBrowserPage(basePath, options)
  for (const name of ["Element", "SVGElement", "Node", "MathMLElement"]) vi.stubGlobal(name, Reflect.get(window, name))
  // Once there is a document, which Vue keeps.
  const vue = await import("vue")
  const exported = await import("../src/index.js")
  exported.configureAuth({ basePath })
  const apps = new Set<VueApp>()
  const element = page.document.body.appendChild(page.document.createElement("main"))

  return {
    ...page,
    vue,
    package: exported,
    async mount(component, ...plugins) {
      const app = vue.createApp(component)
      for (const plugin of plugins) app.use(plugin)
      app.mount(element)
      apps.add(app)
      await page.settle()
      return app
    },
    async hydrate(html, component, ...plugins) {
      element.innerHTML = html
      const warnings: string[] = []
      const app = vue.createSSRApp(component)
      app.config.warnHandler = (message) => void warnings.push(message)
      for (const plugin of plugins) app.use(plugin)
      app.mount(element)
      apps.add(app)
      await page.settle()
      return warnings
    },
    text: () => element.textContent ?? "",
    close() {
      for (const app of apps) app.unmount()
      apps.clear()
    },
    async act(action) {
      const result = await action()
      await page.settle()
      return result
    },
  }
}
