import sharp from 'sharp';

// Only JPEG, PNG and WebP are ever decoded, whatever other formats the library can read.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng', 'VipsForeignLoadWebp'] });
// Nothing of one picture is kept in memory for the next.
sharp.cache(false);

export { sharp };
