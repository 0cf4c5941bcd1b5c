export const texts = {
  title: 'Sign up',
  name: 'Name',
  email: 'Email address',
  password: 'Password',
  minimum: (count: number) => `At least ${count} characters.`,
  action: 'Create account',
  hasAccount: 'Already have an account?',
  signIn: 'Sign in',
  mailTitle: 'Check your email',
  mailText: (email: string) =>
    `The next steps are on their way to ${email}. They can take a minute to arrive; check your spam folder too.`,
  mailFiles:
    'This server saves emails as files instead of sending them. Look in the mail folder of its data directory.',
};
