const bytes = { type: 'integer', minimum: 0 } as const;

/** Headers of the responses about a file that may arrive in several requests. */
export const TRANSFER_HEADERS = {
  'Upload-Offset': { description: 'Number of bytes of the file that have arrived.', schema: bytes },
  'Upload-Length': { description: 'Number of bytes of the whole file, if known.', schema: bytes },
  Location: { description: 'Address of the created record.', schema: { type: 'string', format: 'uri' } },
};

/** Headers of requests for files, and with parts of them. */
export const TRANSFER_PARAMETERS = {
  'Upload-Offset': { description: 'Number of bytes that have arrived; the body continues after them.', required: true, schema: bytes },
  'Upload-Length': {
    description: 'Number of bytes of the whole file. Required without a body; with a body, the file ends with it by default.',
    schema: { type: 'integer', minimum: 1 },
  },
  Range: {
    description: 'One range of bytes, such as bytes=0-1023. For several ranges, the whole file is returned.',
    schema: { type: 'string' },
  },
  'If-Range': { description: 'ETag that the file must still have for Range to apply.', schema: { type: 'string' } },
};
