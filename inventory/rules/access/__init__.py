"""Rules for who may reach whom: boundary, flows, access lists, logins and credentials."""
