"""A key is judged by its words."""

import pytest

from agent_tools.stages.redaction_keys import classify, split_words

SENSITIVE = {
    "password": (
        "password DbPassword user_pwd PGPASSWORD mysql.pwd new-password "
        "passwd2 confirmPassword 登录密码 contraseña пароль "
    ),
    "otp": "otp smsCode verification_code mfa-code 短信验证码",
    "pin": "pinCode card_pin",
    "cvv": "cvv CVV2 securityCode",
    "secret": (
        "apikey X-API-Key OPENAI_API_KEY clientSecret app_secret "
        "aws_secret_access_key signingKey privateKey hmac_key 密钥 "
    ),
    "token": ("token accessToken refresh_token X-Auth-Token csrfToken id_token slackBotToken 访问令牌 "),
    "internal": "internal_token internalToken X-Internal-Token _internal_auth 内部令牌",
    "header": "Authorization proxy-authorization",
    "cookie": "Cookie set-cookie",
    "phone": (
        "mobile phoneNumber contact_phone telNo TELEPHONE cellphone "
        "mobile_phone2 phones 手机号 联系电话 固定电话 座机号码 電話番号 "
    ),
    "id": (
        "id_card idCard IDNumber idcardno ssn social_security_number "
        "passportNo national_id driver_license_no 身份证号码 护照号 "
    ),
    "plate": "plate_no licensePlate 车牌号",
    "card": "card_no bankCard creditCardNumber account_number accountNo iban 银行卡号 收款账号",
    "email": "email userEmail e-mail 邮箱",
    "name": "real_name fullName 姓名",
    "address": "home_address shippingAddress 家庭住址",
    "birth": "birthday date_of_birth dob 出生日期",
    "ip": "client_ip ipAddress remote_addr x-forwarded-for",
}
HARMLESS = (
    "max_tokens next_page_token pageToken token_type tokenizer tokens_used prompt_tokens "
    "author authority passenger passed pass_rate compass bypass secretary secretariat "
    "secret_name primary_key sort_key cacheKey public_key keyboard keyword monkey "
    "password_policy password_changed_at has_password password_required passwordHintUrl "
    "api_version api_key_count auth_type auth_method card_type card_count cardinality "
    "discard cookie_policy_url cookie_consent credential_type credentials_url email_count "
    "email_verified id_card_type bank_name summary opinion spinner phone_model phoneBrand "
    "session_count sessionDuration mac_address email_template file_name hostname username "
    "title description country_code status_code zip_code 密码策略 手机型号 证件类型 邮箱数量 "
    "银行名称 密码长度 用户名 "
)


@pytest.mark.parametrize(
    ("key", "kind"), [(key, kind) for kind, keys in SENSITIVE.items() for key in keys.split()], ids=str
)
def test_a_sensitive_key_has_its_kind(key, kind):
    """Whatever its spelling, a key's last words say what it holds."""
    assert classify(key) == kind


@pytest.mark.parametrize("key", HARMLESS.split())
def test_a_key_that_only_sounds_sensitive_is_left_alone(key):
    """A policy, a count, a type or a longer word is no secret."""
    assert classify(key) in (None, "plain")


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("userPasswd", ["user", "password"]),
        ("XMLHttpToken", ["xml", "http", "token"]),
        ("user.home-phone_no", ["user", "home", "phone", "number"]),
        ("mobileno", ["mobile", "number"]),
        ("ＡＰＩ_key", ["api", "key"]),
    ],
)
def test_keys_split_into_canonical_words(key, words):
    """Camel, snake, kebab, dotted and glued keys split alike."""
    assert split_words(key) == words


def test_a_key_named_by_the_user_is_matched_by_its_words():
    """An extra key name fits every spelling of its words, not a part of a word."""
    extra = (("customer", "ref"),)

    assert [classify(k, extra) for k in ("customerRef", "X-Customer-Ref", "customer_reference")] == [
        "extra",
        "extra",
        "plain",
    ]
