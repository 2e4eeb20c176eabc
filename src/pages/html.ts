/**
 * Template tag for HTML. `${…}` escapes its value. `!${…}` inserts its value as it is, so it must only be given markup that this
 * tag has made.
 */
export { html } from 'ghtml';
