import { element } from './page-elements.ts';

/**
 * Opens a dialog of the page, which keeps the focus until it is answered and gives it back afterwards (HTML, 4.11.4).
 * @returns the value of the button that was pressed; an empty text where the person cancelled or pressed Escape
 */
export function ask(id: string): Promise<string> {
  const dialog = element(id, 'dialog');
  if (dialog.open) return Promise.resolve('');
  dialog.returnValue = '';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue), { once: true });
  });
}

/** Closes every open dialog, as cancelled. */
export function closeDialogs(): void {
  for (const dialog of document.querySelectorAll('dialog')) if (dialog.open) dialog.close('');
}
