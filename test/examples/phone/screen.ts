/** What React has put on the screen of the phone. */
export interface Screen {
  /** The texts of the screen, from top to bottom. */
  texts(): readonly string[]
  /** Presses the button with a title. @throws Error if there is none */
  press(title: string): void
}

/** A node of Fabric's shadow tree. */
interface ShadowNode {
  readonly viewName: string
  readonly props: Readonly<Record<string, unknown>>
  readonly handle: unknown
  readonly children: readonly ShadowNode[]
}

type EventHandler = (handle: unknown, type: string, event: unknown) => void

/** The native side of Fabric, React Native's renderer: it keeps the tree of the only surface, and lays out nothing. */
export function createScreen(): { readonly screen: Screen; readonly fabric: object } {
  let shown: readonly ShadowNode[] = []
  let send: EventHandler = () => {}
  const clone = (node: ShadowNode, changes: Partial<ShadowNode>): ShadowNode => ({ ...node, ...changes })
  const merge = (node: ShadowNode, props: object) => ({ ...node.props, ...props })
  const fabric = {
    createNode: (...[, viewName, , props, handle]: [number, string, number, object, unknown]): ShadowNode => ({
      viewName,
      props: { ...props },
      handle,
      children: [],
    }),
    cloneNode: (node: ShadowNode) => clone(node, {}),
    cloneNodeWithNewProps: (node: ShadowNode, props: object) => clone(node, { props: merge(node, props) }),
    cloneNodeWithNewChildren: (node: ShadowNode, children: readonly ShadowNode[] = []) =>
      clone(node, { children: [...children] }),
    cloneNodeWithNewChildrenAndProps: (node: ShadowNode, ...[children, props]: [readonly ShadowNode[], object]) =>
      clone(node, { children: [...children], props: merge(node, props) }),
    createChildSet: (): ShadowNode[] => [],
    appendChild: (parent: { children: ShadowNode[] }, child: ShadowNode) => {
      parent.children.push(child)
      return parent
    },
    appendChildToSet: (set: ShadowNode[], child: ShadowNode) => set.push(child),
    completeRoot: (_root: number, set: readonly ShadowNode[]) => {
      shown = set
    },
    registerEventHandler: (handler: EventHandler) => {
      send = handler
    },
    unstable_DefaultEventPriority: 32,
    unstable_DiscreteEventPriority: 2,
    unstable_ContinuousEventPriority: 8,
    unstable_IdleEventPriority: 268435456,
    unstable_getCurrentEventPriority: () => 32,
  }
  return { screen: { texts: () => shown.flatMap(readTexts), press: (title) => press(shown, title, send) }, fabric }
}

function readTexts(node: ShadowNode): readonly string[] {
  if (node.viewName !== "RCTText" && node.viewName !== "Paragraph") return node.children.flatMap(readTexts)
  return [readText(node)]
}

function readText(node: ShadowNode): string {
  const own = node.viewName === "RCTRawText" || node.viewName === "RawText" ? String(node.props["text"]) : ""
  return own + node.children.map(readText).join("")
}

function press(shown: readonly ShadowNode[], title: string, send: EventHandler): void {
  const button = shown
    .flatMap(findButtons)
    .find((node) => readTexts(node).join(" ").toLowerCase() === title.toLowerCase())
  if (!button) throw new Error(`No button "${title}" among: ${shown.flatMap(readTexts).join(" | ")}`)
  send(button.handle, "topClick", {})
}

function findButtons(node: ShadowNode): readonly ShadowNode[] {
  return node.props["accessibilityRole"] === "button" ? [node] : node.children.flatMap(findButtons)
}
