export const API_VARIANTS = ['v1', 'preview1', 'openpreview1'] as const;
