export const texts = {
  title: 'Sign up',
  name: 'Name',
  email: 'E-mail address',
  password: 'Password',
  minimum: (count: number) => `At least ${count} characters.`,
  action: 'Sign up',
  hasAccount: 'Have an account?',
  signIn: 'Sign in',
  mailTitle: 'Check your mail',
  mailText: (email: string) =>
    `A mail to ${email} says how to go on. It may take a minute; look in the spam folder too.`,
  mailFiles:
    'This server writes its mail to files and sends none. Look in the folder mail of its data directory.',
};
