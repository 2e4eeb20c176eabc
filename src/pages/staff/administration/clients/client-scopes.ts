import { CLIENT_SCOPES, type ClientScope } from '../../../../domain/identity/clients/clients.ts';
import { icon } from '../../../design/content/icon.ts';
import { checkField } from '../../../design/forms/field.ts';
import { html } from '../../../html.ts';
import type { FormState, FormValues } from '../form-state.ts';

/** The words of each scope. */
const SCOPES: Readonly<Record<ClientScope, string>> = {
  'integration.read': 'Integration API: read',
  'integration.write': 'Integration API: write',
  'practice.read': 'Practice API: read',
  'practice.write': 'Practice API: write',
  'ssn.read': 'See whole social security numbers',
  'restricted.read': 'See restricted and blocked charts',
  'readings.write': 'Send readings of devices',
  'events.read': 'Follow the log of changes',
  'webhooks.write': 'Have changes delivered to its own addresses',
};

/** The name of a scope's box: fields have an underscore for the point. */
const boxOf = (scope: ClientScope): string => scope.replace('.', '_');

/** The values of the boxes for a client with these scopes. */
export const scopeValues = (held: readonly string[]): FormValues =>
  Object.fromEntries(CLIENT_SCOPES.map((scope) => [boxOf(scope), held.includes(scope) ? 'yes' : '']));

export const noScopes = (): FormValues => scopeValues([]);

/** The scopes whose boxes are checked. */
export const scopesIn = (values: Readonly<Record<string, unknown>>): ClientScope[] =>
  CLIENT_SCOPES.filter((scope) => values[boxOf(scope)] === 'yes');

const BOX = { yes: 'a checked box', '': 'an unchecked box' };

/** Words of the boxes, for a form whose record somebody else has changed. */
export const SCOPE_WORDS = Object.fromEntries(CLIENT_SCOPES.map((scope) => [boxOf(scope), BOX]));

/** A box for each scope. A reason that is about all of them stands above, and the first box has the focus. */
export function scopeFields(form: FormState): string {
  const { error, attributes } = form.of('scopes');
  const boxes = CLIENT_SCOPES.map((scope, index) => {
    const focus = index === 0 && attributes.autofocus ? { autofocus: true } : {};
    return checkField({ ...form.box(boxOf(scope), focus), label: SCOPES[scope] });
  });
  return html`
<fieldset class="choices"!${error === null ? '' : ' aria-describedby="scopes-error"'}><legend class="label">It may</legend>
!${error === null ? '' : html`<p class="field-error" id="scopes-error">!${icon('danger')}<span>${error}</span></p>`}
<div class="options">!${boxes.join('')}</div></fieldset>`;
}
