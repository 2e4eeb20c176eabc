let loaded: Promise<typeof import('sharp').default> | undefined;

/** The library that decodes pictures, loaded when the first one arrives. */
export function imageLibrary(): Promise<typeof import('sharp').default> {
  loaded ??= load();
  return loaded;
}

async function load() {
  const { default: sharp } = await import('sharp');
  // Only JPEG, PNG and WebP are ever decoded, whatever other formats the library can read.
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng', 'VipsForeignLoadWebp'] });
  // Nothing of one picture is kept in memory for the next.
  sharp.cache(false);
  return sharp;
}
