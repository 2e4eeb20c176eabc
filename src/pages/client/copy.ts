/** The script of buttons that copy a text: `data-copy` is the id of the element that has it. */

for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
  const source = document.getElementById(button.dataset.copy ?? '');
  if (!source) continue;
  button.hidden = false;
  const label = button.textContent;
  button.addEventListener('click', () => {
    copy(source).then(
      () => say(button, 'Copied', label),
      () => say(button, 'Selected: copy it with the keyboard', label),
    );
  });
}

/** @throws where the browser does not let pages copy: the text is selected then */
async function copy(source: HTMLElement): Promise<void> {
  getSelection()?.selectAllChildren(source);
  await navigator.clipboard.writeText(source.textContent ?? '');
}

function say(button: HTMLButtonElement, words: string, label: string | null): void {
  button.textContent = words;
  setTimeout(() => {
    button.textContent = label;
  }, 4_000);
}
