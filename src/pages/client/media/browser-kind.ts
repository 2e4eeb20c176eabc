/** Where a browser has the switch for camera and microphone differs; this is which advice fits. */
export type BrowserKind = 'ios' | 'safari' | 'android' | 'chrome' | 'firefox' | 'inApp';

/** @param agent `navigator.userAgent` */
export function browserKind(agent: string): BrowserKind {
  if (/FBAN|FBAV|Instagram|Line\/|; wv\)|GSA\//.test(agent)) return 'inApp';
  if (/iPhone|iPad|iPod/.test(agent)) return 'ios';
  if (/Firefox\//.test(agent)) return 'firefox';
  if (/Android/.test(agent)) return 'android';
  return /Chrome\/|Chromium\//.test(agent) ? 'chrome' : 'safari';
}
