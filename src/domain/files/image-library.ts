import sharp from 'sharp';

// Only JPEG, PNG and WebP are ever decoded, whatever other formats the library can read.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng', 'VipsForeignLoadWebp'] });

export { sharp };
