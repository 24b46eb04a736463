"""Secrets in the texts that tools read: configuration, commands, dumps, mark-up, chats of many languages."""

from __future__ import annotations

import urllib.parse

import pytest

PASSWORD, TOKEN, DIGEST = "hN7kQ2vLx9", "a8Kd93jLmQ2xR7tZ5vB1nC4w", "9f86d081884c7d659a2feaa0c55ad015"
MOBILE, OTHER_MOBILE = "13912345678", "15887654321"


def quoted(text: str) -> str:
    return urllib.parse.quote(text, safe="")


HIDDEN: dict[str, tuple[str, tuple[str, ...]]] = {
    "kubernetes environment": (
        f"env:\n  - name: DB_PASSWORD\n    value: {PASSWORD}\n  - name: REGION\n    value: eu-west-1\n",
        ("eu-west-1",),
    ),
    "a YAML value on the next line": (f"password:\n  {PASSWORD}\nuser: ann\n", ("user: ann",)),
    "a YAML block": (f"private_key: |\n  {DIGEST}\n  {TOKEN}\nuser: ann\n", ("user: ann",)),
    "a folded YAML block": (f"client_secret: >-\n    {TOKEN}\nhost: db\n", ("host: db",)),
    "a YAML list": (f"api_keys:\n  - {TOKEN}\n  - {DIGEST}\nport: 80\n", ("port: 80",)),
    "a YAML list at its key's depth": (f"secrets:\n- {TOKEN}\nport: 80\n", ("port: 80",)),
    "docker compose": (f"environment:\n  - MYSQL_ROOT_PASSWORD={PASSWORD}\n  - TZ=UTC\n", ("TZ=UTC",)),
    "terraform": (f'access_key           = "{TOKEN}"\nregion = "eu"', ('region = "eu"',)),
    "curl with a user": (f"curl --user admin:{PASSWORD} https://h/x", ("admin", "https://h/x")),
    "docker login": (f"docker login -u ci -p {PASSWORD} registry.example.com", ("registry.example.com",)),
    "an OAuth code": (f"GET /callback?code={DIGEST}&state=s1 302", ("state=s1", "302")),
    "an OAuth form": (f"grant_type=authorization_code&code={TOKEN}&client_id=web", ("client_id=web",)),
    "a percent-encoded key": (f"https://h/x?api%5Fkey={TOKEN}&a=1", ("a=1",)),
    "a percent-encoded Chinese key": (f"{quoted('密码')}={PASSWORD}&a=1", ("a=1", quoted("密码"))),
    "an INSERT": (
        f"INSERT INTO users (id, login, password) VALUES (7, 'ann', '{PASSWORD}'),(8, 'b,)b', '{PASSWORD}');",
        ("'ann'", "'b,)b'"),
    ),
    "a COPY": (f"COPY users (id, api_key, city) FROM stdin;\n1\t{TOKEN}\tRome\n\\.\ndone", ("Rome", "done")),
    "an XML attribute": (
        f'<property name="db.password" value="{PASSWORD}"/><property name="port" value="80"/>',
        ('value="80"',),
    ),
    "an XML namespace": (f'<wsse:Password Type="x">{PASSWORD}</wsse:Password>', ("wsse:Password",)),
    "CDATA": (f"<password><![CDATA[{PASSWORD}&]]></password>", ("<password>",)),
    "a Hadoop property": (f"<name>fs.secret.key</name>\n<value>{TOKEN}</value>", ("fs.secret.key",)),
    "a property list": (f"<key>apiToken</key>\n<string>{TOKEN}</string><key>n</key>", ("apiToken",)),
    "an HTML form": (f'<input type="hidden" name="csrf_token" value="{TOKEN}">', ("csrf_token",)),
    "an HTML table": (f"<tr><td>Password</td><td>{PASSWORD}</td><td>Rome</td></tr>", ("Rome",)),
    "bold HTML": (f"<b>Password:</b> {PASSWORD}<br><b>User:</b> ann", ("ann",)),
    "bold markdown": (f"**Password:** {PASSWORD}\n**User:** ann", ("ann",)),
    "an arrow": (f"password -> {PASSWORD}", ()),
    "a remark behind the key": (f"Password (temporary): {PASSWORD}", ("(temporary)",)),
    "for whom it is": (f"Password for ann: {PASSWORD}", ("ann",)),
    "set to": (f"I set my password to {PASSWORD} yesterday", ("yesterday",)),
    "a label above": (f"初始密码\n{PASSWORD}\n请尽快修改", ("请尽快修改",)),
    "German": (f"Das Passwort lautet {PASSWORD} und die Kundennummer ist 4711", ("4711",)),
    "Spanish": (f"Contraseña: {PASSWORD}; la clave es {TOKEN}", ("Contraseña",)),
    "Portuguese": (f"a senha é {PASSWORD} e o token é {TOKEN} ok", ("ok",)),
    "French": (f"Mot de passe : {PASSWORD}\nVille : Lyon", ("Ville : Lyon",)),
    "Russian": (f"Пароль: {PASSWORD}, город: Омск", ("Омск",)),
    "Japanese": (f"パスワードは{PASSWORD}です", ("です",)),
    "Korean": (f"비밀번호: {PASSWORD}, 도시: 서울", ("서울",)),
    "Wi-Fi": (f"WIFI:T:WPA;S:home;P:{PASSWORD};;", ("S:home",)),
    "Oracle": (f"jdbc:oracle:thin:scott/{PASSWORD}@//h:1521/x", ("scott", "//h:1521/x")),
    "PuTTY": (f"Private-Lines: 1\nAAAABAQ{TOKEN}\nPrivate-MAC: {DIGEST}", ("Private-Lines: 1",)),
    "a hash": (f"stored $2b$12${TOKEN}{TOKEN}abcde today", ("today",)),
    "a YAML tag": (f"password: !vault {PASSWORD}\nuser: ann", ("user: ann",)),
    "LDIF": (f"dn: cn=x\nuserPassword:: {TOKEN}\n", ("dn: cn=x",)),
    "Rust": (f'Config {{ password: Some("{PASSWORD}"), port: 80 }}', ("port: 80",)),
    "a Redis configuration": (f"requirepass {PASSWORD}\nport 6379", ("port 6379",)),
    "a digest": (f'Authorization: Digest username="ann", nonce="{DIGEST}", response="{DIGEST}"', ("ann",)),
    "a session in a path": (f"https://h/;jsessionid={DIGEST}?x=1", ("x=1",)),
    "three quotes": (f'token = """\n{TOKEN}\n"""', ("token",)),
    "a dash": (f"* **API key** — {TOKEN}", ("API key",)),
    "Chinese brackets": (f"手机（{MOBILE}）密码（{PASSWORD}）", ("手机", "密码")),
    "Italian": (f"la password è {PASSWORD}", ("la password",)),
    "Polish, Turkish and Swedish": (
        f"hasło: {PASSWORD}; şifre: {PASSWORD}; lösenord: {PASSWORD}",
        ("hasło",),
    ),
    "Vietnamese, Arabic and Thai": (
        f"mật khẩu: {PASSWORD}\nكلمة المرور: {PASSWORD}\nรหัสผ่าน: {PASSWORD}",
        ("mật khẩu",),
    ),
    "Rails, Go and Ruby": (
        f'password=>"{PASSWORD}" &{{Password:{PASSWORD} Port:5}} token={TOKEN}',
        ("Port:5",),
    ),
    "two phones": (f"{MOBILE}/{OTHER_MOBILE} 谢谢", ("谢谢",)),
    "a code before its name": ("482913是您的验证码，请勿泄露", ("请勿泄露",)),
    "a code to act with": ("Use 482913 to verify your account", ("your account",)),
}
LOOKALIKES = (
    "  --password TEXT  The password to use.  [required]",
    "usage: app [--api-key KEY] [--password PASSWORD] file",
    "const token = await getToken({ audience: 'x' });",
    "self.api_key = api_key or os.environ.get('API_KEY')",
    "password: ${{ secrets.DOCKER_PASSWORD }}\nusername: ci",
    "password: {{ .Values.db.password }}",
    "valueFrom:\n  secretKeyRef:\n    name: db-creds\n    key: password\n",
    "token: NOUN, token: VERB",
    "CREATE TABLE users (id INT, password VARCHAR(255) NOT NULL, token TEXT)",
    "INSERT INTO users (id, password) VALUES (1, NULL), (2, crypt(?))",
    "| Field | Type |\n|---|---|\n| password | string |\n",
    "统一社会信用代码：91110105MA01B3XK2T",
    "https://h/p?code=US&lang=en",
    "promo code: SUMMER25, error code: 40103",
    "version 10.2.3.4, OID 1.3.6.1.4.1.311, see section 3.2.1.4",
    "Reset the token for the new environment: see the guide",
    "<input type='text' name='city' value='Rome'><td>Passenger</td><td>Ann</td>",
    "-----BEGIN PUBLIC KEY-----\nMFwwDQYJ\n-----END PUBLIC KEY-----",
    "138-0013-8000-1 part",
    "mac 00:1A:2B:3C:4D:5E at 10:00:00",
    "permissions:\n  id-token: write\n",
    "unexpected token: 'IDENT' at line 3",
    "ABC-13912345678",
    "共13912345678条记录",
    "secrets:\n  db_password:\n    file: ./db_password.txt\n",
    "parameters:\n  - name: token\n    in: query\n    required: true\n",
    "Das Passwort ist falsch; La contraseña es incorrecta; a senha é obrigatória",
    "パスワードは8文字以上で入力してください",
    "read -s PASSWORD; export PASSWORD; --token-env GITHUB_TOKEN",
    "password = Column(String(255)); password: z.string().min(8)",
    "KeyError: 'password'",
)


@pytest.mark.parametrize(("text", "kept"), HIDDEN.values(), ids=HIDDEN)
def test_the_secret_goes_and_what_is_around_it_stays(text, kept, redact):
    """Whatever a text is written in, its secrets are found and the rest can be read."""
    shown = redact.text(text)

    secrets = (PASSWORD, TOKEN, DIGEST, MOBILE, OTHER_MOBILE, "482913")
    assert [secret for secret in secrets if secret in shown] == []
    assert [part for part in kept if part not in shown] == []
    assert redact.text(shown) == shown


@pytest.mark.parametrize("text", LOOKALIKES)
def test_code_documents_and_references_stay(text, redact_all):
    """Help texts, templates, schemas and names of things are no secrets."""
    assert redact_all.text(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "電話番号は090-1234-5678です",
        "연락처 010-9876-5432 로",
        "call 07911 123456 now",
        "tel. 06 12 34 56 78",
        "Celular: (11) 98765-4321",
        "codice fiscale RSSMRA85T10A562S",
        "RUT 12.345.678-5",
        "CNPJ 11.222.333/0001-81",
        "connection from 203.0.113.77 refused",
        "peer 2001:db8:85a3::8a2e:370:7334 closed",
    ],
)
def test_numbers_of_many_countries_are_known(text, redact_all):
    """Phones, tax numbers and addresses of machines are hidden beside any script."""
    digits = "".join(c for c in text if c.isdigit())

    shown = redact_all.text(text)

    assert shown != text
    assert len([c for c in shown if c.isdigit()]) <= max(6, len(digits) - 4)
