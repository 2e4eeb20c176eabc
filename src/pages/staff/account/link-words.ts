import type { PasswordFault } from '../../../domain/identity/passwords/password-rules.ts';
import type { InEachLanguage } from '../../../domain/values/languages.ts';

const en = {
  forgot: 'Set a new password',
  forgotLead: 'We will mail a link to your sign-in address. It works for an hour.',
  email: 'Email',
  sendLink: 'Mail me the link',
  sent: 'Check your mail',
  sentLead: 'If an account has this address, we sent a link to it. It may take a minute. Check your spam folder too.',
  backToSignIn: 'Go to sign-in',
  reset: 'Choose your new password',
  invitation: (practice: string) => `Welcome to ${practice}`,
  invitationLead: 'Check your name, and choose your password for signing in.',
  firstName: 'First name',
  lastName: 'Last name',
  signInWith: (email: string) => `You sign in with ${email}.`,
  password: 'Password',
  rules: (shortest: number) =>
    `At least ${shortest} characters, such as several unrelated words, without your name and the name of the practice. Spaces and all letters are allowed.`,
  save: 'Save the password',
  ended: 'This link no longer works',
  resetEnded: 'It was already used, or it has expired. If you have not set a new password with it, ask for another link.',
  invitationEnded:
    'It was already used, or it has expired. If you have chosen your password, sign in with it. If not, ask an administrator of your practice to invite you again.',
  again: 'Mail me another link',
  saved: 'Your password is set',
  savedLead: 'Please sign in with it now.',
  faults: {
    too_short: 'The password is too short.',
    too_long: 'The password is too long.',
    too_common: 'This is one of the most common passwords. Please choose another one.',
    contains_name: 'The password must not contain your name, your email or the name of the practice.',
    too_easy: 'The password is too easy to guess. Choose several unrelated words.',
  } satisfies Record<PasswordFault, string>,
  missing: 'Please fill in this field.',
};

type LinkWords = typeof en;

const es: LinkWords = {
  forgot: 'Elija una contraseña nueva',
  forgotLead: 'Le enviamos un enlace a la dirección con la que entra. Sirve durante una hora.',
  email: 'Correo electrónico',
  sendLink: 'Enviarme el enlace',
  sent: 'Revise su correo',
  sentLead: 'Si alguien entra con esta dirección, el enlace va en camino. Puede tardar un minuto. Mire también en el correo no deseado.',
  backToSignIn: 'Ir al inicio de sesión',
  reset: 'Elija su contraseña nueva',
  invitation: (practice) => `Le damos la bienvenida a ${practice}`,
  invitationLead: 'Compruebe su nombre y elija la contraseña con la que entrará desde ahora.',
  firstName: 'Nombre',
  lastName: 'Apellido',
  signInWith: (email) => `Su usuario es ${email}.`,
  password: 'Contraseña',
  rules: (shortest) =>
    `Al menos ${shortest} caracteres: varias palabras que nadie espere juntas. Sin su nombre ni el del consultorio. Se admiten espacios y todas las letras.`,
  save: 'Guardar la contraseña',
  ended: 'Este enlace ya no funciona',
  resetEnded: 'Ya se usó o caducó. Si no ha guardado con él una contraseña nueva, pida otro enlace por correo.',
  invitationEnded:
    'Ya se usó o caducó. Si ya eligió su contraseña, inicie sesión con ella. Si no, pida a un administrador de su consultorio que le invite otra vez.',
  again: 'Enviarme otro enlace',
  saved: 'Su contraseña está guardada',
  savedLead: 'Ahora inicie sesión con ella.',
  faults: {
    too_short: 'La contraseña es demasiado corta.',
    too_long: 'La contraseña es demasiado larga.',
    too_common: 'Es una de las contraseñas más usadas. Elija otra.',
    contains_name: 'La contraseña no puede contener su nombre, su correo ni el nombre del consultorio.',
    too_easy: 'La contraseña es demasiado fácil de adivinar. Elija varias palabras que nadie espere juntas.',
  },
  missing: 'Complete este campo.',
};

export const LINK_WORDS: InEachLanguage<LinkWords> = { en, es };
