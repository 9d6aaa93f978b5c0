"""From sign-up to the deletion of the account: documents, consents, one's own data."""

import pytest
from django.core import mail
from playwright.sync_api import expect

from tests.browser.quality import WIDTH, violations
from tests.making import PASSWORD, seat_ids
from tests.reservations.acting import hold
from tests.ticketing.accounts.conftest import worker  # noqa: F401 - fixture
from tests.ticketing.accounts.test_password_reset import link_in_mail
from ticketing.accounts import services
from ticketing.accounts.models import Consent, User

TEXTS = {
    "en": {
        "terms": "[required] I agree: Terms of use",
        "privacy": "[required] I agree: Privacy policy",
        "news": "[optional] I agree: News by e-mail",
        "policy": "Privacy policy",
        "seller": "Business registration: 000-00-00000",
        "sign_up": "Sign up",
        "organiser": "I have read and agree: Passing your data on to the organiser",
        "save": "Save",
        "export": "Request my data",
        "sure": "Delete my account. This can’t be undone.",
        "delete": "Delete my account",
        "deleted": "Your account has been deleted",
    },
    "ko": {
        "terms": "[필수] 이용약관에 동의합니다",
        "privacy": "[필수] 개인정보 처리방침에 동의합니다",
        "news": "[선택] 마케팅 정보 수신 동의",
        "policy": "개인정보 처리방침",
        "seller": "사업자등록번호: 000-00-00000",
        "sign_up": "회원가입",
        "organiser": "개인정보 제3자 제공 동의 내용을 확인했으며 동의합니다.",
        "save": "저장",
        "export": "내 정보 파일 요청하기",
        "sure": "탈퇴에 동의합니다. 탈퇴 후에는 되돌릴 수 없습니다.",
        "delete": "탈퇴하기",
        "deleted": "회원 탈퇴가 완료되었습니다",
    },
}


def check(page) -> None:
    assert violations(page) == []
    assert page.evaluate(WIDTH) <= page.viewport_size["width"]


@pytest.mark.parametrize("language", ["en", "ko"])
def test_from_sign_up_to_deletion(open_page, on_sale, worker, now, language):  # noqa: F811
    texts = TEXTS[language]
    services.add_default_documents(now=now)
    page = open_page(
        "/accounts/sign-up/", locale=language, extra_http_headers={"Accept-Language": language}
    )
    page.locator("[name=email]").fill("cem@example.com")
    page.locator("main form button").click()
    page.wait_for_url("**/sent/")

    page.goto(link_in_mail())
    check(page)
    page.locator("[name=display_name]").fill("Cem")
    page.locator("[name=password1]").fill(PASSWORD)
    page.locator("[name=password2]").fill(PASSWORD)
    for name in ("terms", "privacy", "news"):
        page.get_by_label(texts[name]).check()
    page.get_by_role("button", name=texts["sign_up"]).click()
    page.wait_for_url("**/")
    cem = User.objects.get()
    assert cem.consents.count() == 3

    expect(page.locator("footer")).to_contain_text(texts["seller"])
    page.locator("footer").get_by_role("link", name=texts["policy"]).click()
    expect(page.locator("h1")).to_have_text(texts["policy"])
    check(page)

    code = hold(on_sale, cem, now, seat_ids(on_sale)[10]).reservation.code
    page.goto(f"/orders/{code}/pay/")
    expect(page.get_by_label(texts["organiser"])).to_be_visible()
    check(page)

    page.goto("/accounts/consents/")
    check(page)
    page.get_by_label(texts["news"]).uncheck()
    page.get_by_role("button", name=texts["save"]).click()
    expect(page.get_by_label(texts["news"])).not_to_be_checked()
    assert Consent.objects.filter(user=cem, withdrawn_at=None).count() == 2

    page.goto("/accounts/data/")
    page.get_by_role("button", name=texts["export"]).click()
    expect(page.get_by_role("link", name="PDF")).to_be_visible()
    check(page)
    assert mail.outbox[-1].to == ["cem@example.com"]

    page.goto("/accounts/delete/")
    check(page)
    page.get_by_label(texts["sure"]).check()
    page.get_by_role("button", name=texts["delete"]).click()
    expect(page.locator("h1")).to_have_text(texts["deleted"])
    assert not User.objects.filter(email="cem@example.com").exists()
