/** The variants of the practice API's document. */
export const API_VARIANTS = ['v1', 'preview1', 'openpreview1'] as const;
