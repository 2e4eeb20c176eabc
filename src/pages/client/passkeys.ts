/** The script of pages with passkeys: a form of the kind `create` or `get` asks the browser, and sends the passkey's answer as JSON. */

const NO_PASSKEYS = 'This browser does not support passkeys. Use another way.';

for (const form of document.querySelectorAll<HTMLFormElement>('form[data-passkey]')) prepare(form);

function prepare(form: HTMLFormElement): void {
  const words = form.querySelector('[data-passkey-words]');
  const button = form.querySelector('button');
  const say = (text: string) => {
    if (words) words.textContent = text;
  };
  if (typeof PublicKeyCredential === 'undefined' || !('parseRequestOptionsFromJSON' in PublicKeyCredential)) {
    say(NO_PASSKEYS);
    return;
  }
  if (/^[\d.]+$|^\[/.test(location.hostname)) {
    const named = new URL(location.href);
    named.hostname = 'localhost';
    say(`Passkeys need a host name instead of an IP address: open ${named.origin}${named.pathname}`);
    return;
  }
  say('');
  if (button) button.disabled = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (button) button.disabled = true;
    say('Follow the steps on your device.');
    ask(form).then(
      () => form.submit(),
      () => {
        say('That did not work, or was cancelled. Try again, or use another way.');
        if (button) button.disabled = false;
      },
    );
  });
}

/** Asks the device, and writes its answer into the form. @throws where the person or the device refuses */
async function ask(form: HTMLFormElement): Promise<void> {
  const options = await readOptions(form);
  const credential =
    form.dataset.passkey === 'create'
      ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
      : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
  if (!(credential instanceof PublicKeyCredential)) throw new Error('there is no passkey');
  field(form, 'passkey').value = JSON.stringify(credential.toJSON());
}

/** The options in the page, or from the server, with their challenge. */
async function readOptions(form: HTMLFormElement) {
  const written = form.dataset.options ?? '';
  if (!written.startsWith('/')) return JSON.parse(written);
  const answer = await fetch(written, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
  if (!answer.ok) throw new Error('the server gave no challenge');
  const { data } = await answer.json();
  field(form, 'challenge').value = data.challenge;
  return data.options;
}

function field(form: HTMLFormElement, name: string): HTMLInputElement {
  const input = form.querySelector<HTMLInputElement>(`input[name="${name}"]`);
  if (!input) throw new Error(`the form has no ${name}`);
  return input;
}
