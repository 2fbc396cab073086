type Triple = readonly [number, number, number]

/**
 * @param hue degrees
 * @param saturation 0 to 1
 * @param lightness 0 to 1
 * @returns red, green and blue. CSS Color 4 section 7.1.
 */
export function fromHsl(hue: number, saturation: number, lightness: number): Triple {
  const reach = saturation * Math.min(lightness, 1 - lightness)
  const channel = (offset: number): number => {
    const step = (((offset + hue / 30) % 12) + 12) % 12
    return lightness - reach * Math.max(-1, Math.min(step - 3, 9 - step, 1))
  }
  return [channel(0), channel(8), channel(4)]
}

/** @returns red, green and blue, perhaps outside 0 to 1. CSS Color 4 section 9.3. */
export function fromOklch(lightness: number, chroma: number, hue: number): Triple {
  const radians = (hue * Math.PI) / 180
  return fromOklab(lightness, chroma * Math.cos(radians), chroma * Math.sin(radians))
}

/**
 * The matrices are those of https://bottosson.github.io/posts/oklab/, which CSS Color 4 section 9 names as its source.
 */
export function fromOklab(lightness: number, greenRed: number, blueYellow: number): Triple {
  const long = (lightness + 0.3963377774 * greenRed + 0.2158037573 * blueYellow) ** 3
  const medium = (lightness - 0.1055613458 * greenRed - 0.0638541728 * blueYellow) ** 3
  const short = (lightness - 0.0894841775 * greenRed - 1.291485548 * blueYellow) ** 3
  return [
    toGamma(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
    toGamma(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
    toGamma(-0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short),
  ]
}

/** The transfer function of sRGB, from light to signal. */
function toGamma(light: number): number {
  return light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055
}

/** The transfer function of sRGB, from signal to light. */
export function toLinear(signal: number): number {
  return signal <= 0.04045 ? signal / 12.92 : ((signal + 0.055) / 1.055) ** 2.4
}
