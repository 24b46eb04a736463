"""The words that keys are made of: data only.

A phrase at the end of a key gives its kind; the words that may follow, those that turn it into something else
and the other names of a word stand in the tables below. Words are lower case; plurals and the names in
`SYNONYMS` are brought to one form first.
"""

from __future__ import annotations


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


SYNONYMS: dict[str, str] = {
    "password": """
        passwd pwd psw pswd pword passwort kennwort senha
        contrasena contrasenha contrasenya wachtwoord haslo motdepasse mdp
        pasword passwrd passw passwords parola пароль losenord adgangskode
        sifre salasana heslo jelszo passord parool requirepass masterauth
    """,
    "secret": "secrets",
    "token": """
        tok tkn jeton токен
    """,
    "credential": "cred creds",
    "authorization": "authorisation authz",
    "authentication": "authn",
    "phone": """
        telephone tel tele phonenumber telno handphone hp telefono
        telefon telefone celular movil handy cellphone mobilephone
        msisdn whatsapp landline telefonnummer handynummer
        rufnummer fon телефон
    """,
    "mobile": "mob mobil mobiltelefon",
    "number": "num no nr nbr numero nummer nos",
    "account": "acct acc accnt konto cuenta conta compte",
    "address": "addr adresse direccion endereco indirizzo anschrift adres",
    "email": "emails mail mails emailaddress correo courriel",
    "otp": "totp hotp",
    "license": "licence licencia",
    "identity": "identification ident",
    "identifier": "ident",
    "birthday": "dob birthdate birthdt geburtsdatum nascimento nacimiento naissance",
    "iban": "ibans",
    "ssn": "ssns",
    "session": "sess",
    "signature": "sig",
    "verification": "verify verifying",
    "passport": "pasaporte passaporte passeport reisepass",
    "card": "karte tarjeta cartao carte",
    "cookie": "cookies",
    "apikey": "apikeys",
    "encryption": "encrypt encrypting enc",
    "decryption": "decrypt decrypting",
    "signing": "sign signer",
    "private": "priv",
    "surname": "nachname apellido sobrenome",
}
"""Word -> its other names, misspellings and names in other languages."""

HEADS: dict[str, str] = {
    "password": """
        password | pass word | passcode | pass code | pw | passkey | pass key | security answer | secret
        answer | mot de passe | parola d ordine | kata sandi | mat khau | codigo de acceso | clave de acceso |
        clave secreta
    """,
    "pass": "pass",
    "phrase": """
        passphrase | pass phrase | seed phrase | mnemonic | mnemonic phrase | recovery phrase | wallet
        seed | secret phrase
    """,
    "pin": "pin | pin code | pincode | pin number | cvc2",
    "cvv": "security code | card code | cvv | cvc | cvv2 | csc | card verification value",
    "otp": """
        otp | otp code | verification code | sms code | auth code | authentication code | mfa code | 2 fa
        code | two factor code | one time code | one time password | login code | captcha | captcha code |
        confirmation code | email code | phone code verify | activation code | mfa | mfa token |
        validation code | access code | reset code | recovery code | backup code | vcode | verification
        pin | dynamic code | device code | user code | codigo de verificacion | codigo de verificacao |
        code de verification | verifizierungscode | bestatigungscode | sicherheitscode | codice di verifica |
        codigo de seguridad | codigo de seguranca | codigo de confirmacion | tan
    """,
    "secret": """
        secret | private key | secret key | api key | apikey | access key | signing key | encryption key |
        decryption key | master key | hmac key | aes key | rsa key | des key | crypto key | cipher key |
        shared key | auth key | account key | storage key | service key | app key | admin key | root key |
        deploy key | ssh key | gpg key | pgp key | tls key | ssl key | webhook key | session key |
        symmetric key | data key | wrap key | wrapping key | kek | dek | jwt key | bot key | subscription
        key | consumer key | functions key | host key | sas key | privatekey | secretkey | accesskey | jwt
        | bearer | client key | server key | license key | activation key | hash key | mac key | pre
        shared key | psk | wpa key | wifi key | network key | key material | private pem | code verifier |
        secret id | access key secret | primary access key | secondary access key | api secret | keystore
        | private exponent | sas url | application key | integration key | write key | ingest key |
        ingestion key | instrumentation key | management key | developer key | partner key | merchant key
        | secret string | secret value | client key data | api v 3 key | secret key base
    """,
    "token": "token | csrf | xsrf | remember token | remember me token",
    "maybe": """
        session id | session | sid | sessid | phpsessid | jsessionid | sessionid | signature | sign |
        access key id | nonce | salt | assertion | saml response | ticket granting ticket | tgt |
        authorization code | sas | key | shared access signature | auth ticket | csrfmiddlewaretoken |
        webhook | pat | clave | schlussel | chave | cle
    """,
    "cookie": "cookie | set cookie | cookie header | cookie jar | cookie string",
    "header": """
        authorization | proxy authorization | auth header | authorization header | www authenticate
        response | x auth
    """,
    "holder": "credential | authentication | auth | oauth",
    "internal": """
        internal token | internal auth | internal key | internal secret | internal authorization |
        internal credential | internal auth token | internal api key | internal service token | internal
        access token | internal jwt | internal password | internal session | internal signature
    """,
    "phone": """
        phone | mobile | cell | fax | mobile phone | cell phone | phone number | mobile number | cell
        number | fax number | contact number | calling number | called number | caller number | callee
        number | sms number | line number | home number | work number | emergency number | dial number |
        caller id
    """,
    "contact": """
        contact | caller | callee | recipient | emergency contact | sms to | dialed | subscriber
    """,
    "id": """
        id card | idcard | id number | id card number | idcard number | identity | identity card |
        identity number | identity card number | identity document | national id | national id number |
        national identifier | national insurance | national insurance number | social security | social
        security number | social insurance number | ssn | passport | passport number | passport id |
        driver license | drivers license | driver license number | driving license | driving license
        number | license number | dl number | tax id | tax number | tax identification number | taxpayer
        id | tin | itin | cpf | cnpj | rg number | aadhaar | aadhar | aadhaar number | pan number | pan
        card | nino | ni number | nric | nric number | fin | hkid | hkid number | rrn | resident id |
        resident number | resident registration number | residence permit | citizen id | citizen number |
        citizenship number | dni | nie | nif | curp | rfc | bsn | pesel | codice fiscale | steuer id |
        personal id | personal number | personnummer | nhs number | medicare number | medicare | insurance
        number | health card number | permit number | document number | doc number | cert number |
        certificate number | certificate id | government id | gov id | steuernummer | ausweisnummer |
        personalausweis | sozialversicherungsnummer | green card number | voter id | my number | ktp | nik
        | identity code | id code | document id
    """,
    "plate": """
        plate | plate number | license plate | license plate number | number plate | car plate | vehicle
        plate | vehicle number | car number | plate code | registration plate | vehicle registration |
        vehicle registration number
    """,
    "card": """
        card | card number | bank card | bank card number | credit card | credit card number | debit card
        | debit card number | cc | cc number | pan | primary account number | account number | bank
        account | bank account number | iban | iban number | bban | cardnumber | bank number | payment
        card | payment card number | beneficiary account | payee account | payer account | creditor
        account | debtor account | deposit account | account iban | clabe | savings account | checking
        account | bank account id | kontonummer | kartennummer | kreditkarte | bankverbindung
    """,
    "email": """
        email | e mail | email address | mailbox | e mail address | mail address | contact email
    """,
    "address": """
        home address | address | street | street address | mailing address | postal address | shipping
        address | billing address | residence | address line | address line 1 | address line 2 | delivery
        address | living address | residential address
    """,
    "name": """
        real name | full name | first name | last name | surname | family name | given name | middle name
        | legal name | maiden name | cardholder name | card holder | cardholder | holder name | contact
        name | customer name | patient name | employee name | person name | recipient name | receiver name
        | sender name | consignee | passenger name | guest name | member name | student name | owner name
        | applicant name | fullname | realname | birth name
    """,
    "birth": "birthday | date of birth | birth date | birth day | birth",
    "ip": """
        ip | ip address | ipaddr | ipaddress | remote addr | remote address | client address | peer
        address | x forwarded for | forwarded for | x real ip | real ip | ipv 4 | ipv 6 | source address
    """,
    "plain": """
        id | ids | seq | sequence | ean | upc | gtin | barcode | isbn | issn | sku | order number |
        tracking number | invoice number | serial number | ticket | timestamp | ts | time | ms | bytes |
        size | count | total | offset | length | hash | sha | commit | digest | checksum | etag | md 5 |
        sha 1 | sha 256 | sha 512 | uuid | ulid | guid | node | lat | lng | lon | latitude | longitude |
        coords | coordinates | price | amount | version | epoch | ref | reference | trace | order | float
        | range | build | waybill number | batch number | trade number | transaction number | transaction
        | item number | product code | hs code | flight | sequence number | block | nonce number | created
        at | updated at | population | duration | cost | revision | rev | pid | ver |
        section | chapter | release | oid | firmware | build number
    """,
}
"""Kind -> phrases at the end of a key, separated by `|`."""

HAN_HEADS: dict[str, str] = {
    "password": """
        密码 密碼 口令 暗号 暗證 パスワード 비밀번호 암호 пароль 支付密码 登录密码 密保答案 暗証番号
        验证口令 暗號
    """,
    "otp": """
        验证码 驗證碼 校验码 动态码 动态口令 短信码 动态密码 确认码 激活码 認証コード 인증번호 授权码
    """,
    "pin": """
        安全码 安全碼 卡背码
    """,
    "secret": """
        密钥 私钥 密匙 秘钥 密鑰 私鑰 金鑰 秘密鍵 恢复码 凭据 口令牌 シークレット
    """,
    "phrase": """
        助记词
    """,
    "": """
        用户名 用户名称 登录名 账户名
    """,
    "token": """
        令牌 权杖 權杖 トークン 토큰 访问凭证 登录凭证 会话凭证
    """,
    "internal": """
        内部令牌 内部密钥 内部凭证 内部凭据 內部令牌
    """,
    "maybe": """
        会话标识 会话id 签名值
    """,
    "holder": """
        凭证 憑證 認証情報
    """,
    "phone": """
        手机 手機 电话 電話 座机 座機 固话 传真 傳真 手机号 手机号码 電話番号 携帯 携帯番号 携帯電話 联系方式
        聯絡方式 联系电话 固定电话 移动电话 전화번호 휴대폰 휴대폰번호 휴대전화 연락처 联系手机 телефон
        电话号 来电号码 主叫号码 被叫号码 主叫 被叫
    """,
    "contact": """
        联系人方式 收件人电话 紧急联系人
    """,
    "id": """
        身份证 身分證 身份證 身份证件 身分證字號 证件号 證件號 证件 护照 護照 护照号 驾驶证 驾照 駕照 行驶证
        社保号 社保卡 社会保障号 军官证 港澳通行证 通行证 台胞证 居住证 居留证 回乡证 户口 户口本 マイナンバー
        個人番号 旅券 旅券番号 免許証 주민등록번호 여권번호 여권 运转免许 医保卡 医保号 税号 纳税人识别号
        公民身份
    """,
    "plate": """
        车牌 車牌 车牌号 车号 车牌照 牌照 牌照号 ナンバープレート 차량번호
    """,
    "card": """
        银行卡 銀行卡 卡号 卡號 银行账号 银行账户 银行帐号 銀行帳號 銀行帳戶 信用卡 储蓄卡 借记卡 收款账号
        付款账号
        对公账号 收款账户 付款账户 口座番号 カード番号 카드번호 계좌번호 信用卡号 付款卡 收款卡 付款卡号
        收款卡号
    """,
    "email": """
        邮箱 郵箱 邮件 電子郵件 电子邮箱 电子邮件 邮箱地址 电子邮箱地址 メール メールアドレス 이메일 电邮
    """,
    "address": """
        地址 住址 家庭住址 收货地址 居住地 户籍地 通讯地址 联系地址 住所 주소 地址信息 详细地址 현주소
    """,
    "name": """
        姓名 真实姓名 名字 氏名 이름 성명 收件人 收货人 联系人 户名 持卡人 客户姓名 曾用名 お名前
    """,
    "birth": """
        出生日期 生日 出生年月 出生年月日 生年月日 誕生日 생년월일 出生
    """,
    "ip": """
        ip地址 客户端ip 登录ip ip
    """,
    "plain": """
        订单号 訂單號 单号 流水号 编号 序号 条码 条形码 运单号 快递单号 数量 金额 价格 时间 时间戳 坐标 经度
        纬度 版本 编码 订单 流水 工号 批次号 交易号 发票号 訂單 型号
    """,
}
"""Kind -> ends of Chinese, Japanese and Korean keys; the longest that fits wins. The kind "" is no kind."""

OTHER_SCRIPTS: dict[str, str] = {
    "كلمة المرور": "password",
    "كلمة السر": "password",
    "रहस्य": "secret",
    "पासवर्ड": "password",
    "รหัสผ่าน": "password",
    "סיסמה": "password",
    "κωδικός": "password",
    "κωδικός πρόσβασης": "password",
}
"""Whole keys in scripts whose words are not split."""

TRAILERS = _set(
    """
    0 1 2 3 4 5 6 7 8 9 a again alt alternate b b64 backup base64 bcrypt clear cleartext confirm
    confirmation confirmed current default digest encrypted env full hash hashed hex home literal main masked
    md5 new old original other personal plain plaintext previous primary private raw real real1 repeat
    pem retype secondary str text val value var work
    """
)
"""Words that may follow a head and change nothing about the value."""

ASKERS = _set(
    """
    allow allowed allows are average avg can check count disable disabled enable enabled enables forgot
    forgotten has hide is lost max maximum may min minimum must need needs num remember require required
    requires should show skip supports total use uses using validate was without
    """
)
"""First words that turn the rest into a question or a setting (`has_password`)."""

UNLESS: dict[str, str] = {
    "token": """
        audio base bos budget cached cancel cancellation change cls code completion context continuation
        continue count css ct cursor delta design end eos erc first generated governance image input last
        lexical limit lp mask max min native next nft nonterminal num output pad page pagination paging
        pair parse per position prev previous prompt quote reasoning remaining request response resume
        scroll search sep skip special start stop sub subword sync syntax text thinking total unk used
        utility watch word
    """,
    "pass": """
        all back backward band boarding bus by checks day did event fail first forward hall high lift low
        monthly mountain multi num number park press rail render season second single ski test tests
        travel
    """,
    "pin": """
        analog board bowling clk clock data digital drop gpio input led map output push reset
    """,
    "cell": """
        active b battery current excel fuel grid header merged solar stem t table
    """,
    "card": """
        business content data fact flash gift graphics index info job kanban memory nav network playing
        post product profile report score sd sim sound summary time trello ui video wild
    """,
    "session": """
        active class gym num parliamentary plenary study therapy total trading training yoga
    """,
    "address": """
        base bind bitcoin broadcast btc client contract crypto destination dst e email end eth from gas
        hardware host http ip listen mac mail memory network node peer physical proxy register remote
        return server site socket source src start to token url virtual wallet web
    """,
    "auth": "last multi require requires two",
    "cookie": "chocolate fortune",
    "sign": """
        currency dollar equal minus negative plus road star stop traffic zodiac
    """,
    "signature": "call email function method time type",
    "mobile": "is t",
    "identity": "brand corporate gender matrix percent sequence sexual visual",
    "ip": "over tcp voice",
    "cc": "acc gcc",
    "fin": "is",
    "birth": "city country of place",
    "salt": "rock sea table",
    "contact": "first last",
    "plate": "back base hot metal steel tectonic template",
}
"""Head -> words before it that make it something else (`page_token`)."""

SAFE_KEYS = _set(
    """
    3 alt answer any arrow attribute blob block bucket cache candidate child column composite config
    ctrl dataset dedup dedupe delete dict distribution doc document down end enter entity epic esc event
    feature field file first flag foreign group hot i18n idempotency index issue item jira join json kv
    label last left list locale lock lookup map max menu message meta metadata metric min musical
    natural next object option order param parent partition path piano prefix press pressed primary
    project property public publishable query range rate react record redis resource right route routing row
    s3 search setting shard shift short sort sorting start state surrogate tab table tag topic translation
    unique up
    """
)
"""Words before `key` that make it the key of a table or a map."""

GLUED = _set(
    """
    access account acct addr address admin aes api app asp auth aws azure bank bearer birth bot card
    cell client code confirm contact cookie corp credential credentials credit csrf current cvv database
    date day db debit email encoding first ftp full github gitlab hash hmac home host http https id
    identity internal ip j jdbc jwt key keystore last ldap license login mail master mobile mongo my
    mysql name national net new no num number oauth old openai otp pass passport passwd password pg
    phone php phrase pin priv plain plate postgres private proxy pwd real redis refresh repeat root rsa sa
    secret security server service sess session sid sign signing site slack sms smtp social ssh ssn
    store stripe svc sys system tel text token truststore user usr value verification verify vpn web
    wechat wifi word work wx x xsrf
    """
)
"""Words that lower-case keys are glued from (`userpassword`, `mobileno`, `idcard`)."""

STEMS = (
    "pass", "pwd", "psw", "secret", "token", "key", "auth", "cred", "cookie", "sess", "sid", "sig",
    "otp", "pin", "cod", "verif", "bestätigung", "sicherheits", "cvv", "cvc", "jwt", "csrf", "xsrf", "bearer",
    "basic", "mnemonic", "phrase", "senha", "kennwort", "contrase", "mdp", "pw", "psk", "clave", "wachtwoord",
    "haslo", "hasło", "heslo", "lösenord", "losenord", "parola", "salasana", "adgangskode", "şifre", "sifre",
    "jelsz", "kata sandi", "captcha", "mfa", "nonce", "salt", "ticket",
)  # fmt: skip
"""Lower-case beginnings of the words that announce a secret in a text."""

HAN_STEMS = (
    "密码", "密碼", "口令", "验证码", "驗證碼", "校验码", "动态码", "短信码", "密钥",
    "私钥", "密匙", "秘钥", "密鑰", "令牌", "权杖", "權杖", "凭证", "凭据", "パスワード",
    "비밀번호", "トークン", "인증번호", "認証コード", "暗証番号", "安全码", "授权码", "激活码",
    "助记词", "확인", "암호", "토큰", "シークレット", "暗证", "暗號",
    "Пароль", "пароль", "ПАРОЛЬ", "Токен", "токен",
    "mật khẩu", "Mật khẩu", "كلمة المرور", "كلمة السر", "पासवर्ड", "รหัสผ่าน", "סיסמה", "Κωδικός", "κωδικός",
)  # fmt: skip
"""The same in Chinese, Japanese and Korean."""

VERBS = (
    "is", "was", "are", "to", "set to", "changed to", "reset to", "is now", "now is", "will be",
    "lautet", "ist", "war", "es", "est", "era", "sera", "er", "jest",
)  # fmt: skip
"""What may stand between an announcing word and its value in a sentence."""

PREPOSITIONS = ("for", "of", "für", "para", "de", "pour", "voor", "för")
"""What may begin a remark between an announcing word and a colon (`password for ann:`)."""

OPTIONAL_STEMS: dict[str, tuple[str, ...]] = {
    "name": (
        "name",
        "姓名",
        "氏名",
        "收件人",
        "收货人",
        "联系人",
        "户名",
        "客户",
        "乘客",
        "患者",
        "이름",
        "성명",
    ),
    "address": ("addr", "地址", "住址", "住所", "주소"),
    "birth_date": ("birth", "dob", "生日", "出生", "生年月日"),
    "ip": ("ip", "forwarded"),
}
"""Stems of rules that are off by default."""

STOP_WORDS = _set(
    """
    string str text required optional none null nil true false undefined any unknown bytes int number
    bool boolean object missing invalid incorrect wrong empty expired valid ok changed reset updated set
    unset not must should cannot can the a an your my his her is was are be has have too in at on to for
    of and or with from by as it this that new old same stored hashed encrypted weak strong needed short
    long policy accepted rejected failed success password token secret key disabled enabled default
    basic bearer oauth oauth2 saml required_field integer char varchar uuid secretstr yes no provided
    await async new function lambda self this require import process typeof instanceof return
    read write admin only using use more field value type parameter authentication authorization auth
    please enter click contact same inherit raise throw pass
    see below above here optional[str] sha256 md5 bcrypt argon2 hidden visible redacted masked
    """
)
"""Words after `password:` that are no password."""

SPACED = _set(
    """
    key code id number no phrase word token secret header pin passe verification verificación verificacion
    verificação verificacao verifica
    """
)
"""Last words of a key that words before it say more of (`API key`, `next page token`)."""

DESCRIPTIVE = _set(
    """
    type title description required format minlength maxlength enum label placeholder name id kind created
    createdat updated updatedat expires expiresat expiresin expiry user username login host port email
    region scope scopes status state enabled algorithm alg provider issuer iss aud ttl count min max
    length version path domain method mode pattern in url uri link realm rotation rotated lastused
    readonly writeonly nullable examples example strength policy hint samesite httponly secure maxage
    tokentype
    """
)
"""Names under a sensitive key that describe the value and stay (`{"password": {"min_length": 12}}`)."""

TYPE_NAMES = _set("string str text varchar required username login user name id")
"""Words beside the name of a field in a list of two, which is no pair of name and value."""
