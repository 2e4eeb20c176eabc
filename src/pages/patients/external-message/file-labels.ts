import { type InEachLanguage, type Language, localeOf } from '../../../domain/values/languages.ts';

const PDF: InEachLanguage = { en: 'PDF document', es: 'Documento PDF' };
const WORD: InEachLanguage = { en: 'Word document', es: 'Documento de Word' };
const EXCEL: InEachLanguage = { en: 'Excel table', es: 'Hoja de Excel' };
const TEXT: InEachLanguage = { en: 'Text', es: 'Texto' };
const FILE: InEachLanguage = { en: 'File', es: 'Archivo' };

const KINDS: Record<string, InEachLanguage> = {
  'application/pdf': PDF,
  'application/zip': { en: 'Archive', es: 'Archivo comprimido' },
  'application/msword': WORD,
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': WORD,
  'application/vnd.ms-excel': EXCEL,
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': EXCEL,
  'text/csv': { en: 'Table', es: 'Tabla' },
  'text/plain': TEXT,
};

const FAMILIES: Record<string, InEachLanguage> = {
  image: { en: 'Picture', es: 'Imagen' },
  video: { en: 'Video', es: 'Video' },
  audio: { en: 'Sound recording', es: 'Grabación de sonido' },
  text: TEXT,
};

/** Name of a file type for patients. @param mediaType such as `application/pdf` */
export const fileTypeLabel = (mediaType: string, language: Language): string =>
  (KINDS[mediaType] ?? FAMILIES[mediaType.split('/', 1)[0] ?? ''] ?? FILE)[language];

/** `820 bytes`, `64 kB`, `1.2 MB`. */
export function readableSize(bytes: number, language: Language): string {
  const inUnit = (unit: 'byte' | 'kilobyte' | 'megabyte', value: number): string =>
    new Intl.NumberFormat(localeOf(language), {
      style: 'unit',
      unit,
      unitDisplay: unit === 'byte' ? 'long' : 'short',
      maximumFractionDigits: value < 10 ? 1 : 0,
    }).format(value);
  if (bytes < 1_000) return inUnit('byte', bytes);
  return bytes < 999_500 ? inUnit('kilobyte', bytes / 1_000) : inUnit('megabyte', bytes / 1_000_000);
}
