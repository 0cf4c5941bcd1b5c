// How this package calls itself towards the control plane; a test holds it against package.json.

export const SDK = { name: '@keyrail/sdk', version: '0.1.0' } as const;
