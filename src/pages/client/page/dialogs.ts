import { element } from './page-elements.ts';

/**
 * Opens a dialog of the page, which keeps the focus until it is answered and gives it back afterwards (HTML, 4.11.4).
 * Enter presses its first button that submits; all others, such as the one that cancels, are of the type `button`.
 * @returns the value of the button that was pressed; an empty text where the person cancelled or pressed Escape
 */
export function ask(id: string): Promise<string> {
  const dialog = element(id, 'dialog');
  if (dialog.open) return Promise.resolve('');
  dialog.returnValue = '';
  dialog.showModal();
  // Enter presses what has the focus. A field presses the button that submits.
  if (dialog.querySelector('input, select') === null) dialog.querySelector<HTMLElement>('button[type="submit"]')?.focus();
  const press = ({ target }: Event) => {
    const button = target instanceof Element ? target.closest<HTMLButtonElement>('.dialog-actions button[type="button"]') : null;
    if (button) dialog.close(button.value);
  };
  dialog.addEventListener('click', press);
  return new Promise((resolve) => {
    dialog.addEventListener(
      'close',
      () => {
        dialog.removeEventListener('click', press);
        resolve(dialog.returnValue);
      },
      { once: true },
    );
  });
}

/** Closes every open dialog, as cancelled. */
export function closeDialogs(): void {
  for (const dialog of document.querySelectorAll('dialog')) if (dialog.open) dialog.close('');
}

/** Enter presses the button that submits, which looks like it. */
export function setDefault(id: string, isDefault: boolean): void {
  const button = element(id, 'button');
  button.type = isDefault ? 'submit' : 'button';
  button.classList.toggle('plain', !isDefault);
}
