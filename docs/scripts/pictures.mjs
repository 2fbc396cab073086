// Keeps pictures of pages as WebP, which takes a third of the bytes of PNG and is shown by every browser and by GitHub.
import { writeFileSync } from "node:fs"

/** Writes a picture of a page. The options are those of `page.screenshot`. */
export async function savePicture(page, path, options) {
  const png = await page.screenshot(options)
  const blank = await page.context().browser().newPage()
  const webp = await blank.evaluate(toWebp, `data:image/png;base64,${png.toString("base64")}`)
  await blank.close()
  writeFileSync(path, Buffer.from(webp.slice(webp.indexOf(",") + 1), "base64"))
}

/** Runs in the browser. */
async function toWebp(source) {
  const image = new Image()
  image.src = source
  await image.decode()
  const canvas = document.createElement("canvas")
  canvas.width = image.naturalWidth
  canvas.height = image.naturalHeight
  canvas.getContext("2d").drawImage(image, 0, 0)
  return canvas.toDataURL("image/webp", 0.6)
}
