const KINDS: Record<string, string> = {
  'application/pdf': 'PDF document',
  'application/zip': 'Archive',
  'application/msword': 'Word document',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'Word document',
  'application/vnd.ms-excel': 'Excel table',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'Excel table',
  'text/csv': 'Table',
  'text/plain': 'Text',
};

const FAMILIES: Record<string, string> = { image: 'Picture', video: 'Video', audio: 'Sound recording', text: 'Text' };

/** Name of a file type for patients. @param mediaType such as `application/pdf` */
export const fileTypeLabel = (mediaType: string): string => KINDS[mediaType] ?? FAMILIES[mediaType.split('/', 1)[0] ?? ''] ?? 'File';

const inUnit = (unit: 'byte' | 'kilobyte' | 'megabyte', value: number): string =>
  new Intl.NumberFormat('en-US', {
    style: 'unit',
    unit,
    unitDisplay: unit === 'byte' ? 'long' : 'short',
    maximumFractionDigits: value < 10 ? 1 : 0,
  }).format(value);

/** `820 bytes`, `64 kB`, `1.2 MB`. */
export function readableSize(bytes: number): string {
  if (bytes < 1_000) return inUnit('byte', bytes);
  return bytes < 999_500 ? inUnit('kilobyte', bytes / 1_000) : inUnit('megabyte', bytes / 1_000_000);
}
