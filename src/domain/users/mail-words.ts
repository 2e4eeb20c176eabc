import type { AccountMailWords } from './account-mails.ts';

const hello = { en: (name: string) => `Hello ${name},`, es: (name: string) => `Hola, ${name}:` };

export const RESET_MAIL: AccountMailWords = {
  en: ({ firstName, practiceName }) => ({
    subject: 'Set a new password',
    body: `${hello.en(firstName)}

Somebody asked for a new password for your account at ${practiceName}. To set one, open this address within an hour. It works once.

{{url}}

If it was not you, ignore this mail; your password does not change.`,
  }),
  es: ({ firstName, practiceName }) => ({
    subject: 'Elija una contraseña nueva',
    body: `${hello.es(firstName)}

Alguien pidió una contraseña nueva para su cuenta en ${practiceName}. Para elegirla, abra esta dirección antes de una hora. Sirve una sola vez.

{{url}}

Si no fue usted, no haga nada: su contraseña no cambia.`,
  }),
};

export const SINGLE_SIGN_ON_MAIL: AccountMailWords = {
  en: ({ firstName, practiceName }) => ({
    subject: 'How you sign in',
    body: `${hello.en(firstName)}

Somebody asked for a new password for your account at ${practiceName}. Your practice uses single sign-on instead of passwords:

{{url}}

If it was not you, ignore this mail.`,
  }),
  es: ({ firstName, practiceName }) => ({
    subject: 'Cómo iniciar sesión',
    body: `${hello.es(firstName)}

Alguien pidió una contraseña nueva para su cuenta en ${practiceName}. En su consultorio se entra sin contraseña, con el inicio de sesión único:

{{url}}

Si no fue usted, no haga nada.`,
  }),
};

export const INVITATION_MAIL: AccountMailWords = {
  en: ({ firstName, practiceName, email }) => ({
    subject: `Your account at ${practiceName}`,
    body: `${hello.en(firstName)}

${practiceName} created an account for you. To choose your password, open this address within seven days. It works once.

{{url}}

You sign in with ${email}.`,
  }),
  es: ({ firstName, practiceName, email }) => ({
    subject: `Su cuenta en ${practiceName}`,
    body: `${hello.es(firstName)}

${practiceName} ha creado una cuenta para usted. Para elegir su contraseña, abra esta dirección antes de siete días. Sirve una sola vez.

{{url}}

Su usuario es ${email}.`,
  }),
};

export const PASSWORD_CHANGED_MAIL: AccountMailWords = {
  en: ({ firstName, practiceName }) => ({
    subject: 'Your password was changed',
    body: `${hello.en(firstName)}

The password of your account at ${practiceName} was changed, and your other devices were signed out.

If it was not you, set a new password immediately, and tell an administrator of your practice:

{{url}}`,
  }),
  es: ({ firstName, practiceName }) => ({
    subject: 'Su contraseña cambió',
    body: `${hello.es(firstName)}

La contraseña de su cuenta en ${practiceName} cambió, y se cerró la sesión en sus otros dispositivos.

Si no fue usted, elija enseguida una contraseña nueva y avise a un administrador de su consultorio:

{{url}}`,
  }),
};

export const LOCK_OUTS_MAIL: AccountMailWords = {
  en: ({ firstName, practiceName }) => ({
    subject: 'Accounts of your practice were locked',
    body: `${hello.en(firstName)}

Within an hour, accounts of ${practiceName} were locked ten times for 15 minutes because of wrong passwords. Somebody may be guessing. People can still sign in on devices that they have used before. The audit shows the accounts:

{{url}}`,
  }),
  es: ({ firstName, practiceName }) => ({
    subject: 'Se bloquearon cuentas de su consultorio',
    body: `${hello.es(firstName)}

En una hora se bloqueó diez veces una cuenta de ${practiceName} durante un cuarto de hora, porque se probaron contraseñas equivocadas. Puede que alguien las esté adivinando. Se puede seguir entrando desde los dispositivos ya conocidos. El registro de auditoría nombra las cuentas:

{{url}}`,
  }),
};
