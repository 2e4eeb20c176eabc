import { fieldList } from '../input/ignored-fields.ts';

/** The headers of every failure: its code, and the fields that it names, as the caller sent them. */
export const errorHeaders = (code: string, fields: readonly string[] = []): Record<string, string> => ({
  'error-code': code,
  ...(fields.length > 0 ? { 'error-fields': fieldList(fields) } : {}),
});
